import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { Fossick } from "#base/testing/fossick.ts"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { SourceTable } from "#crawler/sources/source-table.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { until } from "#base/testing/until.ts"
import { picture } from "#crawler/testing/pictures.ts"
import { article, html, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { isAlive, startAppliance } from "./testing/appliance.ts"

// A backup is restored into another folder and served there. It contains everything that would make the appliance send
// requests at startup: a queued run, a schedule, a message that its receiver did not accept, and an image that was not
// read.

const FOSSICK = join(import.meta.dirname, "../command/fossick.js")
/** Longer than an appliance takes to send waiting messages at startup. */
const WAIT_MS = 3000
/** The addresses the appliance requests: a page, its image, the receiver of its messages. */
const TOLD = ["/", "/kite.png", "/hook"]

const fossick = new Fossick()
const folder = mkdtempSync(join(tmpdir(), "fossick-drill-"))
const [own, drill] = [join(folder, "own"), join(folder, "drill")]
const backup = join(folder, "backup.tar")
let canary: TestSite
let isWell = false
let settings: Record<string, string>
let key: string

beforeAll(async () => {
  const image = await picture(1)
  canary = await startTestSite({
    "/": html(
      article("Kites", {
        text: `<img src="/kite.png" alt="A kite">${"A kite flies on a line against the wind. ".repeat(12)}`,
      }),
    ),
    "/kite.png": (_, response) => {
      if (isWell) response.writeHead(200, { "content-type": "image/png" }).end(image)
      else response.writeHead(503).end()
    },
    "/hook": (_, response) => void response.writeHead(isWell ? 204 : 503).end(),
    "/v1/chat/completions": (_, response) => void response.writeHead(200).end("{}"),
  })
  const sourcesFile = join(folder, "sources.yaml")
  writeFileSync(
    sourcesFile,
    `sources: [{ name: kites, seeds: "${canary.url("/")}", schedule: { everyHours: 0.1 }, webhooks: [{ url: "${canary.url("/hook")}" }] }]`,
  )
  settings = {
    FOSSICK_SOURCES_FILE: sourcesFile,
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
    FOSSICK_HANDBOOK: "off",
    FOSSICK_UNIT_READER: "off",
    FOSSICK_LLM_URL: canary.url("/v1"),
    FOSSICK_LLM_MODEL: "canary",
    FOSSICK_LOG_LEVEL: "warn",
  }
  {
    await using appliance = await startAppliance({ ...settings, FOSSICK_DATA_DIR: own })
    key = appliance.apiKey
    await fetch(`${appliance.url}/admin/sources/kites/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    })
    await until(async () => TOLD.every((path) => canary.requests.includes(path)))
  }
  const db = await openStateStore(own)
  const jobs = new Jobs(db)
  await jobs.enqueue((await new SourceTable(db, jobs).get("kites"))!.source)
  await db.script("update webhook_delivery set due_at = 1 where state = 'waiting'")
  db.close()
  const { code } = await run(["backup", backup], { FOSSICK_DATA_DIR: own })
  if (code !== 0) throw new Error(`fossick backup exited with code ${code}`)
  isWell = true
})

afterAll(async () => {
  await fossick[Symbol.asyncDispose]()
  await canary?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function run(args: string[], env: Record<string, string>) {
  return await fossick.run(folder, args, env)
}

async function startDrill() {
  const child = spawn(process.execPath, [FOSSICK, "restore", backup, "--into", drill, "--read-only-start"], {
    cwd: folder,
    env: {
      ...CHILD_ENV,
      ...settings,
      FOSSICK_DATA_DIR: own,
      // The port is in use, as it would be for a running appliance.
      FOSSICK_PORT: new URL(canary.origin).port,
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  let text = ""
  const take = (chunk: Buffer) => void (text += chunk.toString())
  child.stdout.on("data", take)
  child.stderr.on("data", take)
  const exited = once(child, "close")
  await Promise.race([
    until(async () => text.includes("Ctrl-C")),
    exited.then(() => {
      throw new Error(text)
    }),
  ])
  return {
    url: /Address +(\S+)/.exec(text)![1]!,
    said: () => text,
    async end() {
      // Sends the signal that a terminal sends on Ctrl-C.
      if (isAlive(-child.pid!)) process.kill(-child.pid!, "SIGINT")
      await exited
      return child.exitCode
    },
  }
}

describe("a restore drill", () => {
  test("serves the restored data beside the appliance, and sends nothing out", async () => {
    canary.requests.length = 0
    const running = await startDrill()
    const { url } = running
    expect(new URL(url).port).not.toBe(new URL(canary.origin).port)
    try {
      const call = async (path: string, body: object | null, method = body === null ? "GET" : "POST") => {
        const response = await fetch(url + path, {
          method,
          headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
          ...(body !== null && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        return { status: response.status, text }
      }
      const found = await call("/search", { query: "What does a kite fly on?", include_answer: true })
      expect(found).toMatchObject({ status: 200, text: expect.stringContaining("against the wind") })
      await call("/search", { query: "kites" })
      const page = canary.url("/")
      for (const [path, body, method] of [
        ["/extract", { urls: [page] }],
        ["/crawl", { url: page }],
        ["/map", { url: page }],
        ["/admin/try", { url: page }],
        ["/admin/sources/kites/run", {}],
        ["/admin/sources/new", { seeds: ["https://new.example/"] }, "PUT"],
        ["/admin/sources/kites", null, "DELETE"],
      ] as const) {
        expect([path, await call(path, body, method)]).toEqual([
          path,
          { status: 403, text: expect.stringContaining("This is a restore drill") },
        ])
      }
      expect(await call("/admin/sources", null)).toMatchObject({ status: 200 })
      expect(await call("/readyz", null)).toMatchObject({
        status: 200,
        text: expect.stringMatching(/"warnings":\["This is a restore drill/),
      })
      expect((await call("/docs/", null)).text).toContain("This is a restore drill")
      const ask = async (message: object) => {
        const response = await fetch(`${url}/mcp`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            authorization: `Bearer ${key}`,
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
        })
        return await response.text()
      }
      const clientInfo = { name: "test", version: "1" }
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
      expect(await ask({ method: "initialize", params })).toContain("This is a restore drill")
      const tools = await ask({ method: "tools/list" })
      expect(tools).toContain("tavily_search")
      expect(tools).not.toContain("tavily_extract")
      await sleep(WAIT_MS)
      expect(canary.requests).toEqual([])
    } finally {
      expect(await running.end()).toBe(0)
    }
    expect(canary.requests).toEqual([])
    expect(running.said()).toContain("This is a restore drill")
    const over = running.said().split("The drill has ended.")[1]
    expect(over).toMatch(/1 page, 1 source, 1 key; the last crawl finished at \d{4}-/)
    expect(over).toContain("all files of the index are intact")
    expect(over).toContain("Answered: 2 questions. Nothing was crawled, and nothing was sent.")
  })

  test("holds back what a normal start sends", async () => {
    canary.requests.length = 0
    await using started = await startAppliance({ ...settings, FOSSICK_DATA_DIR: drill })
    await until(async () => TOLD.every((path) => canary.requests.includes(path)))
    expect(started.output()).not.toContain("restore drill")
  })

  test("requires a folder of its own", async () => {
    const env = { FOSSICK_DATA_DIR: own }
    const refused = async (...args: string[]) => {
      const { code, err } = await run(["restore", backup, ...args], env)
      return code === 0 ? "" : err
    }
    expect(await refused("--into", own)).toMatch(/is the data folder/)
    expect(await refused("--into", join(own, "drill"))).toMatch(/one is inside the other/)
    expect(await refused("--into", folder)).toMatch(/one is inside the other/)
    expect(await refused("--into", drill)).toMatch(/is not empty/)
    expect(await refused("--read-only-start")).toContain("--read-only-start needs --into")
    expect(existsSync(join(own, "drill"))).toBe(false)
  })
})

test("an appliance with FOSSICK_READ_ONLY answers, and a crawl on it is refused", async () => {
  const env = { FOSSICK_DATA_DIR: own, FOSSICK_READ_ONLY: "on" }
  const { code, err } = await run(["crawl", canary.url("/")], { ...settings, ...env })
  expect(code).not.toBe(0)
  expect(err).toContain("This appliance is read-only")
})
