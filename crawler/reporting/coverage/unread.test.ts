import { expect, test } from "vitest"
import { CrawlFixture } from "../../testing/crawl-fixture.ts"
import { article, startTestSite, status } from "../../testing/test-site.ts"
import { unreadOf } from "./unread.ts"

test("pages that could not be read are counted, and those that are gone are not", async () => {
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a", "/b", "/gone", "/text"] }),
    "/a": status(403),
    "/b": status(402),
    "/gone": status(404),
    "/text": article("Text"),
  })
  await using other = await startTestSite({ "/": article("Other") })
  await using fixture = new CrawlFixture()
  await fixture.crawl({ name: "docs", seeds: [site.url("/")] })
  await fixture.crawl({ name: "other", seeds: [other.url("/")] })
  expect(unreadOf(fixture.db, ["docs", "other", "none"])).toEqual([
    { source: "docs", pages: 2, host: site.authority },
  ])
})
