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
  const { index } = fixture.engine
  fixture.engine.index = async (pages) => {
    await index.call(fixture.engine, pages)
    if (pages.some(({ url }) => url.endsWith("/pump"))) throw new Error("the process was lost")
  }
  await expect(fixture.crawlNextDay(source())).rejects.toThrow("the process was lost")
  fixture.engine.index = index
  await fixture.jobs.recover()
  expect(paths()).toContain("/pump")
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

test("a page that was written, but not recorded, leaves the index if the next run doesn't find it again", async () => {
  site.serve({ "/": article("Home"), "/pump": status(404) })
  await fixture.crawlNextDay(source())
  expect(paths()).toEqual(["/"])
})

test("it stays if the next run finds it", async () => {
  await fixture.crawlNextDay(source())
  expect(paths()).toEqual(["/", "/pump"])
})

test("it leaves the index with its source", async () => {
  const sources = new Sources(fixture.db, fixture.jobs)
  await sources.put(source())
  await sources.delete("docs")
  await removeAskedPages({ ...fixture, sources, signal: new AbortController().signal })
  expect(paths()).toEqual([])
})
