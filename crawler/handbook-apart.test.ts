import { beforeAll, afterAll, expect, test } from "vitest"
import type { Query } from "#engine"
import { handbookApart } from "./handbook-apart.ts"
import { HANDBOOK_SOURCE } from "./handbook-source.ts"
import { CrawlFixture } from "./testing/crawl-fixture.ts"
import { article, startTestSite, type TestSite } from "./testing/test-site.ts"

let fixture: CrawlFixture
let site: TestSite

beforeAll(async () => {
  fixture = await CrawlFixture.open()
  site = await startTestSite({ "/docs/": article("Handbook"), "/": article("Home") })
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

/** The sources that a search leaves out with a newly created engine. */
async function leftOut(query: Partial<Query> = {}, handbook: "on" | "always" | "off" = "on") {
  const asked: Query[] = []
  const engine = Object.assign(Object.create(fixture.engine) as typeof fixture.engine, {
    search: async (one: Query) => {
      asked.push(one)
      return { hits: [] }
    },
  })
  const apart = handbookApart(engine, fixture.db, { handbook })
  await apart.search({ text: "pumps", limit: 5, ...query })
  return asked[0]?.filter?.excludeSources ?? null
}

test("the handbook appears in results until other sources have pages, and by name after that", async () => {
  const handbook = [HANDBOOK_SOURCE]
  expect(await leftOut()).toBeNull()
  expect(await leftOut({}, "off")).toEqual(handbook)

  const seed = site.url("/docs/").replace("127.0.0.1", "localhost")
  await fixture.crawl({ name: HANDBOOK_SOURCE, seeds: [seed], scope: "prefix", rendering: "http" })
  expect(await leftOut()).toBeNull()

  await fixture.crawl({ name: "site", seeds: [site.url("/")], rendering: "http" })
  expect(await leftOut()).toEqual(handbook)
  expect(await leftOut({ filter: { includeDomains: ["127.0.0.1"], safe: true } })).toEqual(handbook)
  expect(await leftOut({}, "always")).toBeNull()

  for (const mode of ["on", "off"] as const) {
    expect(await leftOut({ filter: { includeDomains: ["LOCALHOST."] } }, mode)).toBeNull()
    expect(await leftOut({ preference: { domains: ["localhost"] } }, mode)).toBeNull()
    expect(await leftOut({ text: "pumps site:localhost" }, mode)).toBeNull()
    expect(await leftOut({ filter: { sources: [HANDBOOK_SOURCE] } }, mode)).toBeNull()
  }
})
