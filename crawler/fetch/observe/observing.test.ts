import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { EmbedOptions } from "#engine/embedder.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { Sources } from "../../sources/sources.ts"
import { testConfig } from "../../testing/crawl-fixture.ts"
import { openDataFolder } from "../../testing/data-folder.ts"
import { tracePage } from "../../reporting/why/trace.ts"
import { Removals } from "../../upkeep/removals/removals.ts"
import { Rereader } from "../../upkeep/reread/rereader.ts"
import type { SourceSpec } from "../../source.ts"
import { FORM, loginOf, ObservedRuns, ObservedSite, secretOf } from "../../testing/observed-site.ts"
import { status } from "../../testing/test-site.ts"
import { observationsOf } from "./observations.ts"

// A site that shows its pages to some of its users. HR's login reads the pages for the index; staff, a guest and
// anonymous visitors are observers.

const USERS = ["hr", "staff", "guest"]
let runs: ObservedRuns
let site: ObservedSite
let source: SourceSpec & { readonly name: string }

beforeEach(async () => {
  for (const user of USERS) vi.stubEnv(`${user.toUpperCase()}_SECRET`, secretOf(user))
  runs = await ObservedRuns.open()
  site = await ObservedSite.open(USERS)
  site.pages.set("/", { for: [], links: ["/salaries", "/canteen", "/minutes", "/visitors"] })
  site.pages.set("/salaries", { for: ["hr"] })
  site.pages.set("/canteen", { for: ["hr", "staff", "guest"] })
  site.pages.set("/minutes", { for: ["hr", "staff"] })
  site.pages.set("/visitors", { for: [] })
  source = {
    name: "wiki",
    seeds: [site.url("/")],
    login: loginOf(site.site, "hr"),
    observers: [
      { name: "hr", login: "same", readers: { allow: ["group:hr"] } },
      { name: "staff", login: loginOf(site.site, "staff"), readers: { allow: ["group:staff"] } },
      { name: "guest", login: loginOf(site.site, "guest"), readers: { allow: ["group:guests"] } },
      { name: "anyone", login: "none", readers: "everybody" },
    ],
  }
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await runs[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const run = async (options: Parameters<ObservedRuns["runNextDay"]>[1] = {}) =>
  await runs.runNextDay(source, options)

/** Who may read a page: the observed list; `null` for everyone; `undefined` if the index has no such page. */
function readersOf(path: string): readonly string[] | null | undefined {
  const page = runs.engine.pages.get(site.url(path))
  if (page === undefined) return undefined
  const [own] = page.readers ?? []
  if (own === undefined) return null
  expect(own).toMatchObject({ source: "wiki", deny: [] })
  expect(own.allow).toHaveLength(1)
  return own.allow[0]
}
const reasons = async (path: string) =>
  Object.fromEntries((await observationsOf(runs.db, site.url(path))).map((o) => [o.observer, o.reason]))

test("who may read each page is learned from what each login is shown", async () => {
  const job = await run()
  expect(job).toMatchObject({ state: "finished", result: "finished", note: null })
  expect(readersOf("/salaries")).toEqual(["group:hr"])
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  expect(readersOf("/canteen")).toEqual(["group:guests", "group:hr", "group:staff"])
  expect(readersOf("/visitors")).toBeNull()
  expect(readersOf("/login")).toBeUndefined()
  expect(await reasons("/minutes")).toEqual({
    staff: "the same text",
    guest: `it leads to ${site.url("/login")}`,
    anyone: `it leads to ${site.url("/login")}`,
  })
})

test("pages opened or closed on the site get their new readers after the next run, even if nothing else has changed", async () => {
  await run()
  site.pages.set("/salaries", { for: ["hr", "staff"] })
  site.pages.set("/minutes", { for: ["hr"] })
  site.pages.set("/visitors", { for: USERS })
  // No page is due for a visit this soon.
  await run({ visits: "due", days: 0.1 })
  expect(readersOf("/salaries")).toEqual(["group:hr", "group:staff"])
  expect(readersOf("/minutes")).toEqual(["group:hr"])
  expect(readersOf("/visitors")).toEqual(["group:guests", "group:hr", "group:staff"])
  const before = runs.engine.batches.length
  await run()
  expect(runs.engine.batches.length).toBe(before)
})

test.each([
  ["a login form with status 200", FORM],
  [
    "a notice with status 200",
    "<html><body><main><h1>minutes</h1><p>Access denied.</p></main></body></html>",
  ],
  ["401", status(401)],
  ["403", status(403)],
  ["404", status(404)],
  ["410", status(410)],
])("%s is not taken for a page", async (_, refusal) => {
  await run()
  site.pages.set("/minutes", { for: ["hr"], refusal })
  await run()
  expect(readersOf("/minutes")).toEqual(["group:hr"])
})

test("a page that shows less to an observer isn't shown to it", async () => {
  const own =
    "The canteen opens at noon. Its lease ends in May. Please bring your own cup, since there are none."
  site.pages.set("/canteen", {
    for: ["hr"],
    text: own,
    refusal: `<html><head><title>canteen</title></head><body><main><article><h1>canteen</h1><p>${own.replace("Its lease ends in May. ", "")}</p></article></main></body></html>`,
  })
  await run()
  expect(readersOf("/canteen")).toEqual(["group:hr"])
  expect((await reasons("/canteen"))["staff"]).toContain("different text, without")
})

test("a wrong password widens nothing: earlier observations hold for their period, and new ones come only from other observers", async () => {
  await run()
  site.users.delete("staff")
  site.pages.set("/new", { for: ["hr", "staff"] })
  site.pages.set("/", { for: [], links: ["/salaries", "/canteen", "/minutes", "/visitors", "/new"] })
  site.pages.set("/salaries", { for: ["hr", "staff"] })
  const job = await run()
  expect(job).toMatchObject({ state: "finished", result: "finished-with-problems" })
  expect(job.reason).toContain(
    "the observer staff could not check every page: login: the site shows the form",
  )
  expect(job.note).toContain("the observer staff could not check every page")
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  expect(readersOf("/new")).toEqual(["group:hr"])
  expect(readersOf("/salaries")).toEqual(["group:hr"])
  // Staff may read the new text only after an observer has seen it shown to staff.
  site.pages.set("/minutes", {
    for: ["hr", "staff"],
    text: "The minutes have been rewritten from the first line to the last.",
  })
  await run()
  expect(readersOf("/minutes")).toEqual(["group:hr"])
  expect(readersOf("/canteen")).toEqual(["group:guests", "group:hr", "group:staff"])
  await run({ days: 6 })
  expect(readersOf("/canteen")).toEqual(["group:guests", "group:hr"])
  site.users.add("staff")
  await run()
  expect(readersOf("/canteen")).toEqual(["group:guests", "group:hr", "group:staff"])
  expect(readersOf("/new")).toEqual(["group:hr", "group:staff"])
})

test("when the source itself can't log in, its pages keep their readers while observations are valid, and then lose them", async () => {
  await run()
  site.users.delete("hr")
  expect(await run({ days: 6 })).toMatchObject({ state: "failed" })
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  await run({ days: 1 })
  // HR reads with the source's own login, so everything in the index was shown to HR.
  const [own] = runs.engine.pages.get(site.url("/minutes"))!.readers!
  expect(own!.allow).toEqual([["group:hr", "group:staff"], ["group:hr"]])
  expect(runs.engine.pages.get(site.url("/visitors"))!.readers).toMatchObject([{ allow: [["group:hr"]] }])
  site.users.add("hr")
  await run()
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  expect(readersOf("/visitors")).toBeNull()
})

test.each([
  ["403", status(403)],
  ["404", status(404)],
  ["the login form", undefined],
  [
    "another page",
    (_: unknown, response: ServerResponse) => void response.writeHead(302, { location: "/" }).end(),
  ],
])(
  "a page that answers the source itself with %s is hidden until the source is shown it again",
  async (_, refusal) => {
    await run()
    site.pages.set("/minutes", { for: ["staff"], ...(refusal && { refusal }) })
    await run()
    const held = runs.engine.pages.get(site.url("/minutes"))!
    expect(held.readers![0]!.allow.at(-1)).toEqual([])
    site.pages.set("/minutes", { for: ["hr", "staff"] })
    await run()
    expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  },
)

test("a page that the source itself can't reach temporarily stays", async () => {
  await run()
  site.pages.set("/minutes", { for: ["staff"], refusal: status(500) })
  await run()
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
})

test("a session that expires midway is renewed, and if that fails the known readers stay", async () => {
  await run()
  site.forgets.add("staff")
  await run()
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  expect(readersOf("/canteen")).toEqual(["group:guests", "group:hr", "group:staff"])
  // The site ends the new session after one page and does not accept another login.
  site.letsInOnce.add("staff")
  const job = await run()
  expect(job).toMatchObject({ result: "finished-with-problems" })
  expect(job.note).toContain("the observer staff could not check every page")
  expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
})

test("a redirect shows the page only when it ends at the same address", async () => {
  const there = new Set<string>()
  site.pages.set("/minutes", {
    for: ["hr"],
    // Behaves like applications that first check whether cookies are sent back.
    refusal: (request, response) => {
      const cookie = request.headers.cookie ?? ""
      const isBack = there.has(cookie)
      there.add(cookie)
      response.writeHead(302, { location: isBack ? "/canteen" : "/minutes" }).end()
    },
  })
  await run()
  expect(readersOf("/minutes")).toEqual(["group:hr"])
  expect(readersOf("/canteen")).toEqual(["group:guests", "group:hr", "group:staff"])
})

test("a failing site counts neither for nor against an observer", async () => {
  await run()
  for (const refusal of [
    status(500),
    status(503, { "retry-after": "0" }),
    status(429, { "retry-after": "0" }),
  ]) {
    site.pages.set("/minutes", { for: ["hr"], refusal })
    await run()
    expect(readersOf("/minutes")).toEqual(["group:hr", "group:staff"])
  }
  site.pages.set("/minutes", { for: ["hr"], refusal: (_, response) => void response.destroy() })
  await run({ days: 7 })
  expect(readersOf("/minutes")).toEqual(["group:hr"])
})

test("sessions stay separate: each request has its own login's cookie, and no validators", async () => {
  await run()
  await run()
  const pages = site.asked.filter(({ path }) => path !== "/")
  expect(
    Object.fromEntries(
      [...Map.groupBy(pages, ({ user }) => String(user))].map(([user, all]) => [user, all.length]),
    ),
  ).toEqual({
    hr: 8,
    staff: 8,
    guest: 8,
    null: 8,
  })
  expect(site.asked.filter(({ etag }) => etag !== null)).toEqual([])
})

test("an observer with a new login or a new name starts over", async () => {
  await run()
  site.users.add("clerk")
  const [hr, staff, guest, anyone] = source.observers!
  site.users.delete("guest")
  source = {
    ...source,
    observers: [
      hr!,
      { ...staff!, login: loginOf(site.site, "guest") },
      { ...guest!, name: "visitor" },
      anyone!,
    ],
  }
  await run()
  // Neither observer could visit the page.
  expect(readersOf("/minutes")).toEqual(["group:hr"])
  expect(readersOf("/canteen")).toEqual(["group:hr"])
  source = { ...source, observers: [] }
  await run()
  expect(readersOf("/minutes")).toBeNull()
  expect(await observationsOf(runs.db, site.url("/minutes"))).toEqual([])
})

test("pages of a source that gains observers stay with HR until observers look at them", async () => {
  const { observers, ...before } = source
  await runs.runNextDay(before)
  expect(readersOf("/salaries")).toBeNull()
  source = { ...source, limits: { pages: 1 }, removal: { maxShare: 0 } }
  await run()
  for (const path of ["/salaries", "/canteen", "/minutes"]) expect(readersOf(path)).toEqual(["group:hr"])
  expect(observers).toHaveLength(4)
})

test("equal texts with different readers are two pages, whichever way the readers change", async () => {
  const text =
    "The same few words stand on both of these pages, and there are enough of them to be told apart from others."
  // Each page names the other as its canonical address.
  const headOf = (path: string) => `<link rel="canonical" href="${site.url(path)}">`
  const twins = (first: readonly string[], second: readonly string[]) => {
    site.pages.set("/a/notes", { for: first, text, head: headOf("/b/notes") })
    site.pages.set("/b/notes", { for: second, text, head: headOf("/a/notes") })
  }
  site.pages.set("/", { for: [], links: ["/a/notes", "/b/notes"] })
  const of = (path: string) => readersOf(path)
  // Whichever page is read first, the other one had the same readers in the previous run as this page has now.
  const oneByOne = { settings: { FOSSICK_FETCH_CONCURRENCY: "1" } } as const
  twins(["hr"], ["hr", "staff"])
  await run(oneByOne)
  expect([of("/a/notes"), of("/b/notes")]).toEqual([["group:hr"], ["group:hr", "group:staff"]])
  twins(["hr", "staff"], ["hr"])
  await run(oneByOne)
  expect([of("/a/notes"), of("/b/notes")]).toEqual([["group:hr", "group:staff"], ["group:hr"]])
  twins(["hr"], ["hr", "staff"])
  await run(oneByOne)
  expect([of("/a/notes"), of("/b/notes")]).toEqual([["group:hr"], ["group:hr", "group:staff"]])
  // Neither page was temporarily mistaken for the other, which would have caused it to be read again.
  expect(site.asked.filter(({ user, path }) => user === "hr" && path.endsWith("/notes"))).toHaveLength(6)
  // If several pages have the same readers, one of them in the index is enough until its readers change.
  twins(["hr", "staff"], ["hr", "staff"])
  await run(oneByOne)
  expect([of("/a/notes"), of("/b/notes")].filter((all) => all?.length === 2)).not.toEqual([])
  twins(["hr"], ["hr", "staff"])
  await run(oneByOne)
  expect(of("/a/notes")).not.toContain("group:staff")
  expect(of("/b/notes")).toEqual(["group:hr", "group:staff"])
})

test("stale readers left in the index by a lost run are corrected, though the state does not know them", async () => {
  await run()
  const url = site.url("/salaries")
  const page = runs.engine.pages.get(url)!
  // The page was open to everybody when the process was lost, and has been closed again since.
  const { readers: _, ...open } = page
  runs.engine.pages.set(url, open)
  await run()
  expect(readersOf("/salaries")).toEqual(["group:hr"])
})

test("a page keeps its vectors when only its readers change", async () => {
  await using opened = new AsyncDisposableStack()
  const embedded: string[] = []
  class Counting extends HashingEmbedder {
    override async embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
      embedded.push(...texts)
      return await super.embed(texts, options)
    }
  }
  const { engine } = await openDataFolder(opened, new Counting())
  await runs.runNextDay(source, { engine })
  await engine.settled()
  const before = embedded.length
  expect(before).toBeGreaterThan(0)
  site.pages.set("/salaries", { for: ["hr", "staff"] })
  await runs.runNextDay(source, { engine })
  // The same test again, now that no observer can visit the page at all.
  site.users.clear()
  await runs.runNextDay(source, { engine, days: 8 })
  await engine.settled()
  expect((await engine.get(site.url("/salaries")))!.readers).toMatchObject([
    { allow: [["group:hr", "group:staff"], ["group:hr"]] },
  ])
  expect(embedded).toHaveLength(before)
})

test("pages are returned as the index holds them, not as the source's login sees them now", async () => {
  await run()
  const { db, jobs } = runs
  const config = testConfig()
  await using rereader = new Rereader({ db, jobs, config, onProblem: () => undefined })
  await new Sources(db, jobs).put(source)
  const page = runs.engine.pages.get(site.url("/minutes"))!
  const before = site.asked.length
  const { signal } = new AbortController()
  expect(await rereader.read(page, { maxAgeMs: 0, signal })).toMatchObject({ kind: "refused" })
  expect(await rereader.readLive(page, {})).toMatchObject({ kind: "failed" })
  expect(site.asked).toHaveLength(before)
})

test("fossick why shows what each observer was shown, and tells API callers nothing about networks", async () => {
  await run()
  site.pages.set("/minutes", { for: ["hr"], refusal: (_, response) => void response.destroy() })
  site.pages.set("/salaries", { for: ["hr"], refusal: (_, response) => void response.destroy() })
  await run()
  const { db, jobs, engine } = runs
  const parts = { db, jobs, engine, sources: new Sources(db, jobs), removals: new Removals(db) }
  const stepOf = async (path: string, more: object = {}) =>
    (await tracePage(site.url(path), { ...parts, ...more })).steps.find(({ name }) => name === "observers")
  expect((await stepOf("/minutes"))!.text).toContain("staff was shown it on 2026-01-02")
  const refused = `anyone was not shown it (could not look: the connection was closed) on 2026-01-02`
  expect((await stepOf("/salaries"))!.text).toContain(refused)
  expect((await stepOf("/salaries", { conceals: true }))!.text).toContain("(could not look)")
  expect(await stepOf("/salaries", { only: ["other"] })).toBeUndefined()
  expect(await stepOf("/login")).toBeUndefined()
})

test("observations are deleted with their page", async () => {
  source = { ...source, removal: { maxShare: 1 } }
  await run()
  site.pages.delete("/minutes")
  await run()
  await run()
  expect(readersOf("/minutes")).toBeUndefined()
  expect(await observationsOf(runs.db, site.url("/minutes"))).toEqual([])
})
