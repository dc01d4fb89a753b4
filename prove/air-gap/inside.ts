import { readFileSync } from "node:fs"

import { article, startTestSite } from "#crawler/testing/test-site.ts"

import { startAppliance } from "../../api/testing/appliance.ts"
import type { Used } from "./air-gap.ts"

// Runs in the network namespace, and prints the result of each use as one line of JSON.

const used: Used[] = []
async function use(part: string, work: () => Promise<string>): Promise<void> {
  try {
    used.push({ part, result: await work(), isGood: true })
  } catch (error) {
    used.push({ part, result: (error as Error).message.slice(0, 300), isGood: false })
  }
}

function expect(is: boolean, what: string): void {
  if (!is) throw new Error(what)
}

/** Packets without a route since the namespace was created; null if the system doesn't count them. */
function withoutRoute(): number | null {
  try {
    const [names = "", values = ""] = readFileSync("/proc/net/snmp", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("Ip: "))
    const four = Number(values.split(" ")[names.split(" ").indexOf("OutNoRoutes")])
    const six = Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(readFileSync("/proc/net/snmp6", "utf8"))?.[1] ?? 0)
    return Number.isNaN(four) ? null : four + six
  } catch {
    return null
  }
}

const PAGES = ["pumps", "valves", "seals"]
const site = await startTestSite({
  "/": article("The works", { links: PAGES.map((name) => `/${name}`) }),
  ...Object.fromEntries(PAGES.map((name) => [`/${name}`, article(`How ${name} are cleaned`)])),
})
const appliance = await startAppliance({ FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8" })
try {
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(appliance.url + path, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: { Authorization: `Bearer ${appliance.apiKey}`, "Content-Type": "application/json" },
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  await use("start", async () => {
    expect((await fetch(`${appliance.url}/readyz`)).status < 600, "no answer")
    return "answers"
  })
  await use("crawl", async () => {
    await appliance.crawl(site.url("/"))
    // The handbook is crawled by a separate job.
    for (let isDone = false; !isDone; await new Promise((resolve) => setTimeout(resolve, 200))) {
      const { jobs } = (await call("/admin/jobs")) as { jobs: { state: string }[] }
      isDone = jobs.every(({ state }) => state !== "queued" && state !== "running")
    }
    const { index } = (await call("/admin/index")) as { index: { pages: number } }
    expect(index.pages > PAGES.length, `only ${index.pages} pages`)
    return "the site and the handbook are indexed"
  })
  await use("search", async () => {
    const { results } = (await call("/search", { query: "how are pumps cleaned?" })) as {
      results: { url: string }[]
    }
    expect(results[0]?.url === site.url("/pumps"), `the first result is ${results[0]?.url}`)
    return "the right page comes first"
  })
  await use("answer", async () => {
    const { answer } = await call("/search", { query: "How do I schedule a crawl?", include_answer: true })
    expect(typeof answer === "string" && answer !== "", "no answer")
    return "sentences from the pages"
  })
  await use("research", async () => {
    const { request_id: id } = await call("/research", { input: "How do I schedule a crawl?" })
    for (let tries = 0; tries < 600; tries += 1) {
      const { status, content } = await call(`/research/${String(id)}`)
      if (status === "completed") {
        expect(typeof content === "string" && content.length > 100, "an empty report")
        return "a report with sources"
      }
      expect(status !== "failed", "it failed")
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    throw new Error("not finished in time")
  })
  await use("live page", async () => {
    const { results } = (await call("/extract", { urls: [site.url("/valves")], timeout: 60 })) as {
      results: unknown[]
    }
    expect(results.length === 1, "not read")
    return "read from the site"
  })
  await use("console", async () => {
    const page = await fetch(`${appliance.url}/console`)
    const text = await page.text()
    expect(page.ok && text.includes("<html"), `status ${page.status}`)
    const assets = [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path!)
    for (const path of assets)
      expect((await fetch(new URL(path, `${appliance.url}/console`))).ok, `${path} is missing`)
    expect(!/(?:src|href)="https?:/.test(text), "it loads files from elsewhere")
    return `served, with ${assets.length} files`
  })
  await use("ledger", async () => {
    // The API process writes its live reads to the ledger within seconds.
    for (let tries = 0; tries < 100; tries += 1) {
      const { hosts } = (await call("/admin/outbound")) as { hosts: { purpose: string; host: string }[] }
      const { host } = new URL(site.url("/"))
      expect(
        hosts.every((one) => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(one.host)),
        JSON.stringify(hosts),
      )
      const purposes = hosts.filter((one) => one.host === host).map(({ purpose }) => purpose)
      if (purposes.includes("crawl") && purposes.includes("live")) return "lists the site and nothing else"
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    throw new Error("the site is not listed")
  })
} finally {
  const { code } = await appliance.stop()
  await appliance[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await use("stop", async () => {
    expect(code === 0, `exit code ${String(code)}`)
    return "stopped cleanly"
  })
}
process.stdout.write(`${JSON.stringify({ used, withoutRoute: withoutRoute() })}\n`)
