import { afterEach, beforeEach, expect, test } from "vitest"
import { Sources } from "./sources.ts"
import { DailyCrawls } from "../testing/daily-crawls.ts"
import { article, startTestSite, status, type TestSite } from "../testing/test-site.ts"
import { removeAskedPages } from "../upkeep/removals/remove-pages.ts"

let site: TestSite
let fixture: DailyCrawls
const source = () => ({ name: "docs", seeds: [site.url("/")] })
const paths = () => [...fixture.engine.pages.keys()].map((url) => new URL(url).pathname).sort()

beforeEach(async () => {
  fixture = await DailyCrawls.open()
  site = await startTestSite({ "/": article("Home", { links: ["/pump"] }), "/pump": article("Pump") })
})

afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

/** A process dies after /pump was written to the index, and before its outcome was recorded. */
async function loseRun(): Promise<void> {
  const index = fixture.engine.index.bind(fixture.engine)
  fixture.engine.index = async (pages) => {
    await index(pages)
    if (pages.some(({ url }) => url.endsWith("/pump"))) throw new Error("the process was lost")
  }
  await expect(fixture.crawlNextDay(source())).rejects.toThrow("the process was lost")
  fixture.engine.index = index
  await fixture.jobs.recover()
  expect(paths()).toContain("/pump")
}

test("a page written but not recorded is removed from the index if the next run doesn't find it again", async () => {
  await loseRun()
  site.serve({ "/": article("Home"), "/pump": status(404) })
  await fixture.crawlNextDay(source())
  expect(paths()).toEqual(["/"])
})

test("such a page stays if the next run finds it", async () => {
  await loseRun()
  await fixture.crawlNextDay(source())
  expect(paths()).toEqual(["/", "/pump"])
})

test("such a page is removed with its source", async () => {
  await loseRun()
  const sources = new Sources(fixture.db, fixture.jobs)
  await sources.put(source())
  await sources.delete("docs")
  const { db, engine } = fixture
  await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
  expect(paths()).toEqual([])
})
