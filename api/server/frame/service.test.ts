import { get, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"

import { AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import { sourceResults } from "#crawler/reporting/alerts/source-results.ts"
import { alertSettings } from "#crawler/alert-settings.ts"
import type { Judged } from "#crawler/job.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { describe, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"

import { CUT_REASONS } from "../load/connections.ts"
import { serviceSettings } from "../../service-settings.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { SEARCH_KEY, serveApp, TEST_KEY } from "../../testing/serve-app.ts"

const admin = { Authorization: `Bearer ${TEST_KEY}` }

describe("/metrics", () => {
  const scrape = async (url: string, headers: Record<string, string> = admin) => {
    const response = await fetch(`${url}/metrics`, { headers })
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      text: await response.text(),
    }
  }

  test("count requests from the first scrape on, and contain none of their text", async () => {
    await using app = await serveApp({ engine: new FakeEngine([hit()]) })
    await app.post("/search", { query: "before" })
    const first = await scrape(app.url)
    expect([first.status, first.type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
    await app.post("/search", { query: "secret words" })
    await app.post("/tv/search", { query: "x", search_depth: "advanced" })
    await app.post("/search", { query: "x", topic: "sports" })
    await fetch(`${app.url}/secret-path`, { method: "PATCH" })
    const count = (labels: string) => `fossick_http_request_duration_seconds_count{${labels}}`
    await expect
      .poll(async () => (await scrape(app.url)).text)
      .toContain(`${count('endpoint="other",method="other",status="404"')} 1`)
    const { text } = await scrape(app.url)
    for (const line of [
      `${count('endpoint="search",method="POST",status="200"')} 2`,
      `${count('endpoint="search",method="POST",status="400"')} 1`,
      'fossick_searches_total{depth="basic"} 1',
      'fossick_searches_total{depth="advanced"} 1',
      "fossick_http_requests_in_flight 1",
      "fossick_index_pages 1",
      "fossick_index_up 1",
      "fossick_crawler_up 1",
      'fossick_jobs{state="running"} 0',
      "process_cpu_seconds_total",
      "fossick_http_unsent_bytes 0",
      'fossick_stored_bytes{store="research"} 0',
      'fossick_bound_used{bound="searches-waiting"} 0',
      'fossick_bound_limit{bound="searches-waiting"} 256',
      'fossick_bound_refused_total{bound="searches-waiting"} 0',
      'fossick_bound_used{bound="memory-calls"} 0',
      'fossick_event_loop_delay_seconds{quantile="0.99"}',
    ]) {
      expect(text).toContain(line)
    }
    expect(text).not.toMatch(/secret|test-key|tester/)
  })

  test("can be read with an admin key, by anyone, or by nobody, depending on the setting", async () => {
    await using app = await serveApp()
    expect((await scrape(app.url, {})).status).toBe(401)
    expect((await scrape(app.url, { Authorization: `Bearer ${SEARCH_KEY}` })).status).toBe(403)
    await using open = await serveApp({ config: { metrics: "open" } })
    expect((await scrape(open.url, {})).status).toBe(200)
    await using off = await serveApp({ config: { metrics: "off" } })
    expect((await scrape(off.url)).status).toBe(404)
  })

  test("report how scheduled backups went, if any are configured", async () => {
    using folder = temporaryFolder()
    const db = await openStateStore(folder.path)
    try {
      const backups = new BackupTable(db)
      await using app = await serveApp({ backups })
      expect((await scrape(app.url)).text).not.toContain("fossick_backup_failed{")
      await backups.declare({ name: "nightly", folder: "/backups", keep: 3, schedule: null })
      const made = { file: "/backups/a.tar", bytes: 1, pages: 1, note: null }
      await backups.finish((await backups.ask("schedule")).id, made)
      const at = (await backups.last("finished"))!.endedAt!.getTime() / 1000
      const { text } = await scrape(app.url)
      expect(text).toContain('fossick_backup_failed{backup="nightly"} 0')
      expect(text).toContain(`fossick_backup_last_success_timestamp_seconds{backup="nightly"} ${at}`)
      await backups.fail((await backups.ask("schedule")).id, "There is no folder /backups.")
      const after = (await scrape(app.url)).text
      expect(after).toContain('fossick_backup_failed{backup="nightly"} 1')
      expect(after).toContain(`fossick_backup_last_success_timestamp_seconds{backup="nightly"} ${at}`)
    } finally {
      db.close()
    }
  })

  test("report how each source's last run ended, and how many failed in a row", async () => {
    using folder = temporaryFolder()
    const db = await openStateStore(folder.path)
    try {
      const jobs = new Jobs(db)
      const sources = new Sources(db, jobs)
      const book = new AlertBook(db)
      const run = async (name: string, judged: Judged) => {
        await jobs.end(
          (await jobs.start((await sources.run(name, { trigger: "run" }))!.id))!.id,
          "finished",
          null,
          judged,
        )
        await book.collect(readSettings(alertSettings, {}))
      }
      for (const name of ["docs", "wiki", "new"])
        await sources.put({ name, seeds: "https://docs.example/" }, "file")
      await run("docs", { result: "finished", reason: null })
      await run("wiki", { result: "failed", reason: "the only seed failed" })
      await run("wiki", { result: "finished-with-problems", reason: "12 pages wait" })
      await using app = await serveApp({
        sourceResults: (limit) => sourceResults(db, jobs, limit),
      })
      const { text } = await scrape(app.url)
      const lines = text.split("\n").filter((line) => line.startsWith("fossick_source_"))
      expect(lines).toEqual([
        'fossick_source_result{source="docs",result="finished"} 1',
        'fossick_source_result{source="docs",result="finished-with-problems"} 0',
        'fossick_source_result{source="docs",result="failed"} 0',
        'fossick_source_result{source="wiki",result="finished"} 0',
        'fossick_source_result{source="wiki",result="finished-with-problems"} 1',
        'fossick_source_result{source="wiki",result="failed"} 0',
        'fossick_source_bad_runs{source="docs"} 0',
        'fossick_source_bad_runs{source="wiki"} 2',
        expect.stringMatching(/^fossick_source_last_run_timestamp_seconds\{source="docs"\} \d/),
        expect.stringMatching(/^fossick_source_last_run_timestamp_seconds\{source="wiki"\} \d/),
      ])
      expect((await sourceResults(db, jobs, 1)).map(({ source }) => source)).toEqual(["docs"])
    } finally {
      db.close()
    }
  })

  test("count the outcomes of paid search requests, from the start", async () => {
    const sales = new Map([
      ["sold", 3],
      ["unpaid", 5],
    ])
    await using app = await serveApp({ sales: () => sales })
    await scrape(app.url)
    sales.set("sold", 4)
    const { text } = await scrape(app.url)
    expect(text).toContain('fossick_paid_requests_total{outcome="sold"} 4')
    expect(text).toContain('fossick_paid_requests_total{outcome="unpaid"} 5')
  })

  test("count open connections, and cut ones by reason", async () => {
    await using app = await serveApp({ config: { connectionsPerAddress: 3 } })
    // Without a counter at 0, the first cut connection of each kind would go unnoticed.
    const { text } = await scrape(app.url)
    for (const reason of CUT_REASONS)
      expect(text).toContain(`fossick_http_connections_cut_total{reason="${reason}"} 0`)
    const sockets = Array.from({ length: 6 }, () =>
      connect({ port: Number(new URL(app.url).port), host: "127.0.0.1" }),
    )
    await expect
      .poll(async () => (await scrape(app.url)).text)
      .toMatch(/^fossick_http_connections_cut_total\{reason="idle"\} [3-9]$/m)
    expect((await scrape(app.url)).text).toMatch(/^fossick_http_connections [1-3]$/m)
    for (const socket of sockets) socket.destroy()
  })

  test("report that the index cannot be read", async () => {
    const engine = Object.assign(new FakeEngine(), { stats: () => Promise.reject(new Error("gone")) })
    await using app = await serveApp({ engine })
    expect((await scrape(app.url)).text).toContain("fossick_index_up 0")
  })
})

describe("web pages of other origins", () => {
  const origin = "https://app.example.com"
  const preflight = (url: string, from: string) =>
    fetch(`${url}/search`, {
      method: "OPTIONS",
      headers: { Origin: from, "Access-Control-Request-Method": "POST" },
    })

  test("cannot make calls unless they are listed", async () => {
    await using closed = await serveApp()
    expect((await preflight(closed.url, origin)).headers.get("access-control-allow-origin")).toBeNull()
    await using app = await serveApp({ config: { corsOrigins: [origin] } })
    const asked = await preflight(app.url, origin)
    expect(asked.status).toBe(204)
    expect(asked.headers.get("access-control-allow-headers")).toContain("Authorization")
    expect(
      (await preflight(app.url, "https://evil.example")).headers.get("access-control-allow-origin"),
    ).toBe(null)
    // Error responses must be readable, too.
    const refused = await fetch(`${app.url}/search`, {
      method: "POST",
      headers: { Origin: origin, Authorization: "Bearer nope" },
    })
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    expect(refused.headers.get("vary")).toContain("Origin")
    await using any = await serveApp({ config: { corsOrigins: ["*"] } })
    expect((await preflight(any.url, origin)).headers.get("access-control-allow-origin")).toBe("*")
  })
})

describe("browser security headers", () => {
  test.each(["/healthz", "/search", "/nothing", "/openapi.json", "/docs/", "/metrics"])(
    "%s",
    async (path) => {
      await using app = await serveApp()
      const { headers } = await fetch(app.url + path)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    },
  )
})

describe("forwarded headers from proxies", () => {
  const site = { "X-Forwarded-Host": "search.example.com", "X-Forwarded-Proto": "https" }
  const robots = (url: string, headers: Record<string, string>) =>
    new Promise<string>((resolve, reject) => {
      get(`${url}/robots.txt`, { headers }, (response) => void text(response).then(resolve, reject))
    })

  test("are used if the proxies are trusted", async () => {
    await using app = await serveApp()
    expect(await robots(app.url, site)).toContain(`Sitemap: ${app.url}/docs/sitemap.xml`)
    await using behind = await serveApp({ config: { trustedProxies: ["127.0.0.0/8"] } })
    expect(await robots(behind.url, site)).toContain("Sitemap: https://search.example.com/docs/sitemap.xml")
    expect(await robots(behind.url, { "X-Forwarded-Proto": "gopher", "X-Forwarded-Host": "a b" })).toContain(
      `Sitemap: ${behind.url}/`,
    )
  })

  test("a refused key is logged with the address it came from, as far as that is known", async () => {
    await using app = await serveApp({ config: { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] } })
    const refusedFrom = async (forwardedFor: string) => {
      const response = await new Promise<IncomingMessage>((resolve) => {
        request(`${app.url}/search`, {
          method: "POST",
          headers: { "X-Forwarded-For": forwardedFor, Authorization: "Bearer nope" },
        })
          .on("response", resolve)
          .end()
      })
      await text(response)
      const id = response.headers["x-request-id"]
      const line = app.logLines.find((one) => one.includes(String(id)))
      return (JSON.parse(line ?? "{}") as { address?: string }).address
    }
    expect(await refusedFrom("203.0.113.7")).toBe("203.0.113.7")
    // The caller can put anything before the addresses that proxies add.
    expect(await refusedFrom("1.2.3.4, 203.0.113.7, 10.1.1.1")).toBe("203.0.113.7")
    expect(await refusedFrom("1.2.3.4, nonsense, 10.1.1.1")).toBe("10.1.1.1")
    expect(await refusedFrom("::ffff:203.0.113.9")).toBe("203.0.113.9")
    const good = await app.post("/search", { query: "x" })
    expect(good.status).toBe(200)
    expect(JSON.parse(app.logLines.at(-1)!)).not.toHaveProperty("address")
  })
})

describe("the service settings", () => {
  const read = (env: Record<string, string>) => () => readSettings(serviceSettings, env)

  test("are refused by name when they are wrong", () => {
    expect(read({ FOSSICK_CORS_ORIGINS: "https://a.example, http://localhost:3000" })().corsOrigins).toEqual([
      "https://a.example",
      "http://localhost:3000",
    ])
    for (const wrong of ["app.example.com", "https://a.example/", "null", "file://x"]) {
      expect(read({ FOSSICK_CORS_ORIGINS: wrong })).toThrow("FOSSICK_CORS_ORIGINS must be origins")
    }
    expect(read({ FOSSICK_TRUSTED_PROXIES: "10.0.0.0/8, ::1, fd00::/8" })).not.toThrow()
    for (const wrong of ["10.0.0.0/33", "proxy", "10.0.0.1/", "1.2.3.4/8/8"]) {
      expect(read({ FOSSICK_TRUSTED_PROXIES: wrong })).toThrow("FOSSICK_TRUSTED_PROXIES must be IP addresses")
    }
    expect(read({ FOSSICK_METRICS: "on" })).toThrow("FOSSICK_METRICS must be one of key, open, off")
  })
})
