import type { Page } from "playwright"

import type { Workshop } from "./workshop.ts"

type Take = (name: string) => Promise<void>

/** Questions, judgements and rules, so that the screens have content. */
export async function fillQuality(workshop: Workshop, page: Page): Promise<void> {
  const call = async (method: string, path: string, body?: object, key = workshop.adminKey) => {
    const response = await fetch(workshop.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // oxlint-disable-next-line typescript/no-explicit-any -- whatever came back
    return (await response.json()) as any
  }
  for (const query of [
    "zyzzyva",
    "zyzzyva",
    "qwxk vpnf",
    "chapter 2",
    "chapter 2",
    "thread 4",
    "what is explained",
  ]) {
    await call("POST", "/search", { query }, workshop.key)
  }
  await call("POST", "/feedback", { request_id: "r1", human_score: 1 }, workshop.key)
  await call(
    "POST",
    "/feedback",
    {
      request_id: "r2",
      human_score: 0,
      comment: "The page on zyzzyva is missing.",
      used_urls: ["https://docs.example.com/install"],
    },
    workshop.key,
  )
  await call("POST", "/admin/keys", {
    name: "chat on the intranet",
    sources: ["manual"],
    credits: 1000,
    rate_limits: "search=60/m",
  })
  const { id } = await call("POST", "/admin/keys", { name: "an old script", endpoints: ["search"] })
  await call("POST", `/admin/keys/${id}/disable`, {})
  await call("POST", "/admin/public-keys", {
    name: "docs site",
    source: "manual",
    origins: ["https://docs.example.com"],
  })
  const urlOf = async (query: string) => (await call("POST", "/search", { query })).results[0].url as string
  for (const question of ["chapter 2", "chapter 4", "thread 3"]) {
    await call("POST", "/admin/judged-questions", {
      question,
      pages: [{ url: await urlOf(question), grade: 3 }],
    })
  }
  await call("POST", "/admin/judged-questions", {
    question: "how do I begin",
    pages: [{ url: await urlOf("chapter 4") }],
  })
  const ran = async (note: string) => {
    const { id } = await call("POST", "/admin/judged-runs", { note })
    while ((await call("GET", `/admin/judged-runs/${id}`)).run.state === "running")
      await page.waitForTimeout(100)
  }
  await ran("as it was")
  await call("PUT", "/admin/rules/second", { kind: "synonym", words: ["second", "2"] })
  await call("PUT", "/admin/rules/start-here", {
    kind: "pin",
    questions: ["how do I begin", "getting started"],
    url: await urlOf("chapter 4"),
  })
  await call("PUT", "/admin/rules/current", {
    kind: "boost",
    where: { sources: ["manual"], paths: ["/chapter-*"] },
    factor: 1.5,
  })
  await ran("with synonyms")
  await ran("")
}

/** Search quality, rules and keys, one after the other. */
export async function shootQuality(url: string, page: Page, take: Take): Promise<void> {
  const open = async (search: string) => page.goto(`${url}/console?${search}`)
  await open("view=quality")
  await page.getByRole("link", { name: "zyzzyva" }).waitFor()
  await take("quality")
  await open("view=quality&shown=judged")
  await page.getByRole("table", { name: "Judged questions" }).waitFor()
  await take("judged")
  await open("view=quality&shown=runs")
  await page.getByRole("table", { name: "Runs of judged questions" }).waitFor()
  await page.getByRole("link").filter({ hasText: ":" }).first().waitFor()
  await take("judged-runs")
  await open("view=quality&shown=feedback")
  await page.getByText("Did not help").waitFor()
  await take("feedback")
  await open("view=question&question=chapter+2")
  await page.getByRole("list", { name: "What it finds now" }).waitFor()
  await take("question")
  await open("view=rules")
  await page.getByRole("heading", { name: "Synonyms" }).waitFor()
  await take("rules")
  await open("view=rule&kind=synonym&question=zyzzyva")
  await page.getByLabel("Words or phrases").fill("zyzzyva\nchapter")
  await page.getByRole("button", { name: "See before and after" }).click()
  await page.getByRole("article", { name: "zyzzyva" }).waitFor()
  await take("rule")
  await open("view=keys")
  await page.getByRole("region", { name: "MCP configuration" }).waitFor()
  await take("keys")
  await page.getByRole("button", { name: "New key" }).click()
  await page.getByRole("dialog").waitFor()
  await take("new-key")
}
