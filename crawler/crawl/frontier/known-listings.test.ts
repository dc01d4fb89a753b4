import { expect, test } from "vitest"
import { at, VisitedSite } from "../../testing/visited.ts"
import { type Listing, Listings } from "./known-listings.ts"

const LIST: Listing = {
  url: at("/sitemap.xml"),
  kind: "sitemap",
  foundOn: at("/robots.txt"),
  namedAt: 7,
  validators: { etag: '"1"', lastModified: "Thu, 01 Jan 1970 00:00:00 GMT" },
  readAt: 9,
}
const NOTHING = { namedAt: null, validators: { etag: null, lastModified: null }, readAt: null }

test("what a run learns about a list is stored when the run completes", async () => {
  const { db } = new VisitedSite()
  const listings = new Listings(db, "site")
  listings.note(LIST)
  expect(await listings.get(LIST.url)).toBeNull()
  await listings.keep(true)
  expect(await listings.get(LIST.url)).toEqual(LIST)
  // A note is kept only once.
  await listings.forget(LIST.url)
  await listings.keep(true)
  expect(await listings.get(LIST.url)).toBeNull()
})

test("after an interrupted run its lists are known, and read again", async () => {
  const { db } = new VisitedSite()
  const listings = new Listings(db, "site")
  listings.note(LIST)
  await listings.keep(true)
  listings.note({ ...LIST, kind: "feed", foundOn: null })
  await listings.keep(false)
  expect(await listings.get(LIST.url)).toEqual({ ...LIST, ...NOTHING, kind: "feed" })
})

test("a named list is known at once, and keeps its known facts", async () => {
  const { db } = new VisitedSite()
  const listings = new Listings(db, "site")
  await listings.name(LIST.url, "sitemap", LIST.foundOn)
  expect(await listings.get(LIST.url)).toEqual({ ...LIST, ...NOTHING })
  listings.note(LIST)
  await listings.keep(true)
  await listings.name(LIST.url, "feed", at("/else"))
  expect(await listings.get(LIST.url)).toEqual(LIST)
})

test("sources store their lists separately, by kind, and delete them", async () => {
  const { db } = new VisitedSite()
  const [site, other] = [new Listings(db, "site"), new Listings(db, "other")]
  for (const path of ["/b.xml", "/a.xml"]) await site.name(at(path), "sitemap", null)
  await site.name(at("/feed"), "feed", null)
  await other.name(at("/a.xml"), "sitemap", null)
  expect((await site.all("sitemap")).map(({ url }) => url)).toEqual([at("/a.xml"), at("/b.xml")])
  expect(await site.all("feed")).toEqual([
    { ...LIST, ...NOTHING, url: at("/feed"), kind: "feed", foundOn: null },
  ])
  expect(await other.get(at("/b.xml"))).toBeNull()
  await site.forget(at("/a.xml"))
  expect((await site.all("sitemap")).map(({ url }) => url)).toEqual([at("/b.xml")])
  await site.forgetAll()
  expect([await site.all("sitemap"), await site.all("feed"), (await other.all("sitemap")).length]).toEqual([
    [],
    [],
    1,
  ])
})
