import { expect, test, vi } from "vitest"
import { openStateFile } from "#base/store/state-store.ts"
import { migrateFrontier } from "../../crawl/frontier/frontier-schema.ts"
import { cutOffPages, unreadByHost } from "../../crawl/frontier/source-pages.ts"
import { CrawlFixture, temporaryFolder } from "../../testing/crawl-fixture.ts"
import { article, startTestSite, status } from "../../testing/test-site.ts"
import { unreadOf } from "./unread.ts"

test("unreadable pages are counted, and removed ones are not", async () => {
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a", "/b", "/gone", "/text"] }),
    "/a": status(403),
    "/b": status(402),
    "/gone": status(404),
    "/text": article("Text"),
  })
  await using other = await startTestSite({ "/": article("Other") })
  await using fixture = await CrawlFixture.open()
  await fixture.crawl({ name: "docs", seeds: [site.url("/")] })
  await fixture.crawl({ name: "other", seeds: [other.url("/")] })
  expect(await unreadOf(fixture.db, ["docs", "other", "none"])).toEqual([
    { source: "docs", pages: 2, host: site.authority },
  ])
})

test.each([
  ["pages that could not be read", unreadByHost, "known_address_unread"],
  ["pages whose answers were cut off", cutOffPages, "known_address_noted"],
] as const)("%s are found without scanning all the others", async (_, ask, index) => {
  using folder = temporaryFolder()
  using db = await openStateFile(folder.path)
  migrateFrontier(db)
  await db.ready()
  using native = vi.spyOn(db, "native")
  await ask(db, "docs")
  const { rows: plan } = await db.native(`explain query plan ${native.mock.lastCall![0]}`).ask([])
  expect(plan.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(index))
})
