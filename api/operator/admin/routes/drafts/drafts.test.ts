import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, openStateStore, Sources, type StateStore } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { article, html, startTestSite, status, type TestSite, textFile } from "#crawler/testing/test-site.ts"

import { FakeEngine } from "../../../../testing/fake-engine.ts"
import {
  answerOf,
  expectDocumented,
  type ServedApp,
  serveApp,
  TEST_KEY,
} from "../../../../testing/serve-app.ts"
import { openAdmin } from "../../open-admin.ts"

const RIGHT = `Basic ${Buffer.from("ada:lovelace").toString("base64")}`

describe("a source being written", () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-drafts-"))
  const opened = new AsyncDisposableStack()
  let db: StateStore
  let jobs: Jobs
  let sources: Sources
  let site: TestSite
  let app: ServedApp

  beforeAll(async () => {
    vi.stubEnv("WIKI_PASSWORD", "lovelace")
    vi.stubEnv("OTHER_PASSWORD", "babbage")
    db = await openStateStore(folder)
    site = opened.use(
      await startTestSite({
        "/": article("Home", { links: ["/pumps", "/seals", "/private", "https://elsewhere.example/"] }),
        "/pumps": article("Pumps"),
        "/seals": article("Seals"),
        "/inside": (request, response) =>
          (request.headers.authorization === RIGHT
            ? html(article("Inside", { links: ["/pumps"] }))
            : status(401))(request, response),
      }),
    )
    jobs = new Jobs(db)
    sources = new Sources(db, jobs)
    const engine = new FakeEngine()
    const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder })
    const crawlerConfig = testConfig({
      FOSSICK_ALLOWED_NETWORKS: site.authority,
      FOSSICK_API_SECRETS: "WIKI_PASSWORD",
    })
    app = opened.use(
      await serveApp({ engine, admin: () => openAdmin({ db, engine, jobs, crawlerConfig, engineConfig }) }),
    )
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await opened.disposeAsync()
    db.close()
    rmSync(folder, { recursive: true })
  })

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${app.url}/admin${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${TEST_KEY}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = await answerOf(response)
    expectDocumented(method, `/admin${path}`, answer)
    return answer
  }
  const preview = async (source: object) => (await call("POST", "/sources/preview", { source })).body
  const fieldsOf = (body: { readonly problems: readonly { readonly field: string }[] }) =>
    body.problems.map(({ field }) => field)

  test("gets a preview with the title, what robots.txt says, the text without scripts, and the source's YAML", async () => {
    const rules = `User-agent: *\nCrawl-delay: 2\nDisallow: /private\nSitemap: ${site.url("/map.xml")}\n`
    site.serve({ "/robots.txt": textFile(rules) })
    const found = (await call("POST", "/sources/propose", { url: site.url("/") })).body
    expect(found).toMatchObject({
      title: "Home",
      robots: { allowed: true, detail: null, delay_ms: 2000, sitemaps: [site.url("/map.xml")] },
      rendering: { characters: expect.any(Number) },
    })
    expect(found.yaml).toContain(`  - name: ${site.authority}\n`)
    expect(found.yaml).toContain("schedule: { everyHours: 24 }")
    const kept = (await call("POST", "/sources/propose", { url: site.url("/private") })).body
    expect(kept).toMatchObject({ url: null, title: null, robots: { allowed: false } })
    // Only the operator's own hosts are read despite their robots.txt; for a source's runs, only the sources file can
    // allow this.
    const foreign = { url: "https://docs.example/", ignore_robots: true }
    const refused = await call("POST", "/sources/propose", foreign)
    expect([refused.status, fieldsOf(refused.body.detail)]).toEqual([422, ["ignore_robots"]])
    const own = (await call("POST", "/sources/propose", { ...foreign, url: site.url("/") })).body
    expect(own).toMatchObject({ title: "Home", robots: null, source: { politeness: { robots: false } } })
    expect(await preview(own.source)).toMatchObject({
      fits_file: true,
      problems: [{ field: "politeness.robots" }],
    })
  })

  test("is shown as in a file, with all errors by field", async () => {
    const wrong = await preview({
      name: "docs",
      seeds: ["nowhere at all"],
      limits: { pages: "many" },
      schedule: { cron: "often" },
    })
    expect(wrong).toMatchObject({ name: "docs", exists: null, fits_file: false, full_crawl: null })
    expect(fieldsOf(wrong)).toEqual(["limits.pages"])
    const meant = await preview({ name: "docs", seeds: ["nowhere at all"], schedule: { cron: "often" } })
    expect(fieldsOf(meant)).toEqual(["seeds[0]", "schedule.cron"])
    expect(meant.yaml).toBe(
      "sources:\n  - name: docs\n    seeds:\n      - nowhere at all\n    schedule: { cron: often }\n",
    )
    const right = await preview({ name: "docs", seeds: [site.url("/")], limits: { pages: 5 } })
    expect(right).toMatchObject({ problems: [], fits_file: true, full_crawl: { pages: 5 } })
    expect(await sources.list()).toEqual([])
    expect(await jobs.count()).toBe(0)
  })

  test("accepts for a file what only the API refuses, without revealing whether a closed secret exists", async () => {
    const login = (name: string) => ({ kind: "basic", user: "ada", password: `\${${name}}` })
    const draft = (name: string) => ({ name: "wiki", seeds: [site.url("/")], login: login(name) })
    expect(await preview(draft("WIKI_PASSWORD"))).toMatchObject({ problems: [], fits_file: true })
    const closed = await preview(draft("OTHER_PASSWORD"))
    const unknown = await preview(draft("NOT_SET_ANYWHERE"))
    expect(closed).toMatchObject({ fits_file: true, problems: [{ field: "login.password" }] })
    expect(closed.problems[0].message.replace("OTHER_PASSWORD", "NOT_SET_ANYWHERE")).toBe(
      unknown.problems[0].message,
    )
    expect(fieldsOf(await preview({ name: "router", seeds: ["http://10.0.0.1/"] }))).toEqual(["seeds[0]"])
  })

  test("logs in and reads pages in a trial as a run would, and declares and indexes nothing", async () => {
    const source = {
      name: "wiki",
      seeds: [site.url("/inside")],
      login: { kind: "basic", user: "ada", password: "${WIKI_PASSWORD}" },
    }
    const good = (await call("POST", "/sources/trial", { source })).body
    expect(good).toMatchObject({
      login: { kind: "basic", error: null },
      pages: [
        { title: "Inside", outcome: "indexed" },
        { title: "Pumps", outcome: "indexed" },
      ],
    })
    expect(good.requests).toBeLessThanOrEqual(12)
    const bad = (
      await call("POST", "/sources/trial", {
        source: { ...source, login: { ...source.login, user: "charles" } },
      })
    ).body
    expect(bad).toMatchObject({ login: { kind: "basic", error: expect.stringContaining("401") }, pages: [] })
    expect(await sources.list()).toEqual([])
    expect(await jobs.count()).toBe(0)
  })

  test("is not tried if it may not be declared", async () => {
    const before = site.requests.length
    const refused = await call("POST", "/sources/trial", {
      source: { name: "wiki", seeds: [site.url("/")], ignoreNoindex: true },
    })
    expect(refused.body).toMatchObject({ login: null, pages: [], requests: 0 })
    expect(fieldsOf(refused.body)).toEqual(["ignoreNoindex"])
    expect(site.requests.length).toBe(before)
  })

  test("can be exported as in a file, without its secrets", async () => {
    expect((await call("GET", "/sources/none/written")).status).toBe(404)
    await sources.put(
      {
        name: "filed",
        seeds: [site.url("/")],
        login: { kind: "cookies", cookies: { theme: "dark", session: "${WIKI_PASSWORD}" } },
      },
      "file",
    )
    const written = (await call("GET", "/sources/filed/written")).body
    expect(written).toMatchObject({
      origin: "file",
      source: { login: { cookies: { theme: "(hidden)", session: "${WIKI_PASSWORD}" } } },
    })
    expect(Object.keys(written.source)).toEqual(["name", "seeds", "login"])
    expect(written.yaml).not.toContain("dark")
    // The source cannot be written back in this form.
    expect(fieldsOf(await preview(written.source))).toContain("login")
    expect(await preview(written.source)).toMatchObject({ exists: "file", fits_file: false })
  })
})
