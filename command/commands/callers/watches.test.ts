import { join } from "node:path"
import { pino } from "pino"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Jobs, Sources, type StateStore } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { apiKey } from "../../../api/identity/accounts/keys/keys.ts"
import { openPageKnowledge } from "../../../api/services/pages/page-knowledge.ts"
import { SEARCH_KEY, type ServedApp, serveApp, TEST_KEY } from "../../../api/testing/serve-app.ts"
import { openWatches } from "../../../api/services/watches/open-watches.ts"
import { freePort } from "#base/testing/free-port.ts"
import { Fossick, refusalOf } from "../../testing/fossick.ts"

// `fossick watches` as a program, against an appliance on a socket whose watches are running.

const opened = new AsyncDisposableStack()
const program = opened.use(new Fossick())
let folder: string
let db: StateStore
let engine: EmbeddedEngine
let site: TestSite
let app: ServedApp

beforeAll(async () => {
  const data = await openDataFolder(opened)
  const { embedder } = data
  ;({ dir: folder, db, engine } = data)
  site = opened.use(
    await startTestSite({ "/": article("Home", { links: ["/keys"] }), "/keys": keysPage("each year") }),
  )
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: [site.url("/")], rendering: "http" })
  await runSource("docs", db, engine)
  const watches = opened.use(
    await openWatches({
      db,
      engine,
      keys: { byId: async (id) => apiKey({ id, role: "search" }) },
      config: { watchTextMb: 1, keyStoredMb: 512, watchEntries: 10 },
      crawlerConfig: testConfig({}),
      log: pino({ level: "silent" }),
      pollMs: 20,
    }),
  )
  const pages = openPageKnowledge(db, jobs)
  app = opened.use(await serveApp({ engine, embedder, watches, pages, sourceNames: () => sourceNames(db) }))
})
afterAll(() => opened.disposeAsync())

const keysPage = (when: string) =>
  article("Keys", { text: `The signing keys are rotated ${when}. `.repeat(6) })

async function fossick(args: readonly string[], { key = SEARCH_KEY, url = app.url } = {}) {
  const ended = await program.run(folder, ["watches", ...args], {
    FOSSICK_DATA_DIR: join(folder, "nothing"),
    FOSSICK_PUBLIC_URL: url,
    ...(key !== "" && { FOSSICK_API_KEY: key }),
  })
  return { ...ended, lines: ended.out.split("\n").slice(0, -1) }
}

const one = async (...args: string[]) =>
  JSON.parse((await fossick([...args, "--json"])).out) as Readonly<Record<string, unknown>>

test("a source is watched, its changes are shown, and the watch is ended", async () => {
  expect((await fossick([])).lines).toEqual(["There are no watches yet. Add one with fossick watches add."])
  const made = await one(
    "add",
    "--source",
    "docs",
    "--name",
    "Docs",
    "--include",
    "/keys",
    "--change",
    "changed",
  )
  const id = made["id"] as string
  expect(made).toMatchObject({ source: "docs", include: ["/keys"], changes: ["changed"], paused: false })
  await expect.poll(async () => (await one("show", id))["ready_at"], { interval: 200 }).not.toBeNull()
  expect((await fossick(["entries", id])).lines).toEqual(["Nothing has changed."])

  site.serve({ "/keys": keysPage("each month") })
  await runSource("docs", db, engine)
  await expect.poll(async () => (await fossick(["entries", id, "--json"])).lines).toHaveLength(1)
  const { lines } = await fossick(["entries", id, "--diff"])
  expect(lines[0]).toMatch(new RegExp(`^\\d+  \\S+Z  changed  ${site.url("/keys")}  Keys$`))
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^ {4}\+.*each month/)]))
  const [, seq = ""] = /^(\d+)/.exec(lines[0]!)!
  expect((await fossick(["entries", id, "--after", seq])).lines).toEqual(["Nothing has changed."])

  const listed = await fossick(["list"])
  expect(listed.lines[1]).toMatch(new RegExp(`^${id}  Docs  source docs  1 page$`))
  expect((await fossick(["show", id])).out).toMatch(/^watches {3}source docs\nonly {6}\/keys$/m)
  expect(await one("remove", id)).toEqual({ id, deleted: true })
  expect(await fossick(["show", id])).toMatchObject({ code: 1, err: "This key has no such watch.\n" })
})

test("questions and pages are watched with all notification options", async () => {
  const question = await fossick(
    [
      "add",
      "--question",
      "how are keys rotated?",
      "--webhook",
      "https://hooks.example.com/",
      "--every",
      "60",
    ],
    { key: TEST_KEY },
  )
  expect(question.lines).toEqual([
    expect.stringMatching(/^watch {3}\S+$/),
    expect.stringMatching(/^feed {4}http:\S+token=\S+$/),
    expect.stringMatching(/^secret {2}whsec_\S+ {2}\(/),
  ])
  const page = await one("add", "--page", site.url("/keys"), "--paused")
  expect(page).toMatchObject({ url: site.url("/keys"), paused: true, webhook: null, every_minutes: 0 })
  const own = await fossick(["list", "--json"])
  expect(own.lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual([page["id"]])
  const all = await fossick(["list", "--all"], { key: TEST_KEY })
  expect(all.out).toContain('"how are keys rotated?"')
  expect(all.lines).toHaveLength(3)
})

test("a change of notification options keeps those that are not named", async () => {
  const { id, ...made } = await one(
    "add",
    "--source",
    "docs",
    "--name",
    "Docs",
    "--webhook",
    "https://a.example/",
  )
  const change = (...args: string[]) => one("change", id as string, ...args)
  expect(made).toMatchObject({ changes: ["new", "changed", "gone"], every_minutes: 0 })
  expect(await change("--change", "gone", "--every", "60", "--paused")).toMatchObject({
    name: "Docs",
    changes: ["gone"],
    webhook: "https://a.example/",
    every_minutes: 60,
    paused: true,
  })
  expect(await change("--webhook", "none", "--name", "Pages", "--resumed")).toMatchObject({
    name: "Pages",
    webhook: null,
    every_minutes: 60,
    paused: false,
  })
  const refused = await fossick(["change", id as string, "--webhook", "ftp://a.example/"])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("webhook must match") })
})

test("a refusal by the appliance, or a missing appliance, is reported with exit code 1", async () => {
  expect(await fossick(["list", "--all"])).toMatchObject({
    code: 1,
    err: "Access denied. all needs a key with the role admin.\n",
  })
  const tooOften = await fossick(["add", "--source", "docs", "--every", "999999"])
  expect(tooOften.code).toBe(1)
  expect(tooOften.err).toContain("every_minutes")
  const url = `http://127.0.0.1:${await freePort()}`
  expect(await fossick(["list", "--url", url])).toMatchObject({
    code: 1,
    err: `The appliance at ${url} cannot be reached. Is it running?\n`,
  })
  const keyless = await fossick(["list"], { key: "" })
  expect(keyless).toMatchObject({
    code: 2,
    err: expect.stringContaining("FOSSICK_API_KEY must be set to a key"),
  })
})

test("invalid arguments are rejected before any request", async () => {
  expect(await refusalOf("watches", "add")).toBe("add needs --question, --source or --page")
  expect(await refusalOf("watches", "add", "--page", "a", "--source", "b")).toContain("add needs")
  expect(await refusalOf("watches", "add", "--page", "a", "--include", "/b")).toContain("need --source")
  expect(await refusalOf("watches", "add", "--source", "a", "--change", "lost")).toContain("gone")
  expect(await refusalOf("watches", "change", "a")).toBe("change needs at least one option")
  expect(await refusalOf("watches", "change", "a", "--paused", "--resumed")).toContain("cannot be combined")
  expect(await refusalOf("watches", "remove", "..")).toBe(".. is not the id of a watch")
  expect(await refusalOf("watches", "entries", "a", "--limit", "0")).toContain("--limit must be")
})
