import { afterEach, beforeEach, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { readersLabel } from "#engine/index/page/readers.ts"
import { countPagesForNobody, listPagesForNobody } from "./sources/readers/pages-for-nobody.ts"
import { forgetReadersNow, readersNow } from "./sources/readers/readers-now.ts"
import { DailyCrawls } from "./testing/daily-crawls.ts"
import { article, html, startTestSite, type TestSite } from "./testing/test-site.ts"

// A site that states who may read its pages.

let fixture: DailyCrawls
let site: TestSite
/** The header sent for /salaries; null if none is sent. */
let header: string | null
const withTag = (title: string, content: string) =>
  article(title, { head: `<meta name="Fossick-Readers" content="${content}">` })

beforeEach(async () => {
  fixture = await DailyCrawls.open()
  header = "allow=group:hr; deny=group:interns"
  site = await startTestSite({
    "/": article("Home", { links: ["/salaries", "/minutes", "/broken", "/open", "/copy-a", "/copy-b"] }),
    "/open": article("Open"),
    // The same text for different readers.
    "/copy-a": html(article("Copy"), { "x-fossick-readers": "allow=group:a" }),
    "/copy-b": html(article("Copy"), { "x-fossick-readers": "allow=group:b" }),
    "/minutes": html(withTag("Minutes", "allow=group:board"), { "x-fossick-readers": "allow=signed-in" }),
    "/broken": withTag("Broken", "hr only, please"),
    "/salaries": (request, response) => {
      response.setHeader("etag", '"1"')
      response.setHeader("content-type", "text/html")
      if (header !== null) response.setHeader("x-fossick-readers", header)
      response.statusCode = request.headers["if-none-match"] === '"1"' ? 304 : 200
      response.end(response.statusCode === 304 ? undefined : article("Salaries"))
    },
  })
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const run = async () => {
  const { job } = await fixture.crawlNextDay({ name: "site", seeds: [site.url("/")] })
  return job.outcomes
}
const readersOf = (path: string) => fixture.engine.pages.get(site.url(path) as PageUrl)?.readers
const oneSource = (allow: string[][], deny: string[] = []) => [{ source: "site", allow, deny }]

test("pages have the readers that their headers and tags name, and nobody when these are invalid", async () => {
  await run()
  expect(readersOf("/open")).toBeUndefined()
  expect(readersOf("/salaries")).toEqual(oneSource([["group:hr"]], ["group:interns"]))
  expect(readersOf("/minutes")).toEqual(oneSource([["group:board"], ["signed-in"]]))
  expect(readersOf("/broken")).toEqual(oneSource([[]]))
  // Neither page is treated as an alias of the other.
  expect([readersOf("/copy-a"), readersOf("/copy-b")]).toEqual([
    oneSource([["group:a"]]),
    oneSource([["group:b"]]),
  ])
  forgetReadersNow(fixture.db)
  const { rules } = await readersNow(fixture.db)
  expect(rules.get(readersLabel(readersOf("/salaries"))!)).toEqual(readersOf("/salaries"))
  const note = await fixture.db
    .native("select detail from known_address where url = ?")
    .ask([site.url("/broken")])
  expect(note.rows[0]!["detail"]).toContain('its readers are invalid: "hr only, please"')
})

test("the operator sees which pages have lost their last reader", async () => {
  const told = async () => [
    (await countPagesForNobody(fixture.db)).get("site") ?? 0,
    (await listPagesForNobody(fixture.db, "site", 10)).map((url) => new URL(url).pathname),
  ]
  await run()
  expect(await told()).toEqual([1, ["/broken"]])
  header = "allow=group:hr; deny=group:hr"
  await run()
  expect(await told()).toEqual([2, ["/broken", "/salaries"]])
  header = "allow=group:hr"
  await run()
  expect(await told()).toEqual([1, ["/broken"]])
})

test("readers are updated even when the site reports a page as unmodified", async () => {
  await run()
  header = "allow=group:board"
  await run()
  expect(readersOf("/salaries")).toEqual(oneSource([["group:board"]]))
  header = null
  await run()
  expect(readersOf("/salaries")).toBeUndefined()
  header = "allow=group:hr"
  await run()
  expect(readersOf("/salaries")).toEqual(oneSource([["group:hr"]]))
  const asked = site.requests.filter((path) => path === "/salaries").length
  await run()
  expect(site.requests.filter((path) => path === "/salaries").length).toBe(asked + 1)
})
