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

test("what a run learns of a list is kept when the run came to its end", () => {
  const { db } = new VisitedSite()
  const listings = new Listings(db, "site")
  listings.note(LIST)
  expect(listings.get(LIST.url)).toBeNull()
  listings.keep(true)
  expect(listings.get(LIST.url)).toEqual(LIST)
  // What was noted is kept once.
  listings.forget(LIST.url)
  listings.keep(true)
  expect(listings.get(LIST.url)).toBeNull()
})

test("of a run that was cut short the lists are known, and to be read again", () => {
  const { db } = new VisitedSite()
  const listings = new Listings(db, "site")
  listings.note(LIST)
  listings.keep(true)
  listings.note({ ...LIST, kind: "feed", foundOn: null })
  listings.keep(false)
  expect(listings.get(LIST.url)).toEqual({ ...LIST, ...NOTHING, kind: "feed" })
})

test("a list that is named is known at once, and what is known of it stands", () => {
  const { db } = new VisitedSite()
  const listings = new Listings(db, "site")
  listings.name(LIST.url, "sitemap", LIST.foundOn)
  expect(listings.get(LIST.url)).toEqual({ ...LIST, ...NOTHING })
  listings.note(LIST)
  listings.keep(true)
  listings.name(LIST.url, "feed", at("/else"))
  expect(listings.get(LIST.url)).toEqual(LIST)
})

test("sources know their lists apart, by kind, and forget them", () => {
  const { db } = new VisitedSite()
  const [site, other] = [new Listings(db, "site"), new Listings(db, "other")]
  for (const path of ["/b.xml", "/a.xml"]) site.name(at(path), "sitemap", null)
  site.name(at("/feed"), "feed", null)
  other.name(at("/a.xml"), "sitemap", null)
  expect(site.all("sitemap").map(({ url }) => url)).toEqual([at("/a.xml"), at("/b.xml")])
  expect(site.all("feed")).toEqual([{ ...LIST, ...NOTHING, url: at("/feed"), kind: "feed", foundOn: null }])
  expect(other.get(at("/b.xml"))).toBeNull()
  site.forget(at("/a.xml"))
  expect(site.all("sitemap").map(({ url }) => url)).toEqual([at("/b.xml")])
  site.forgetAll()
  expect([site.all("sitemap"), site.all("feed"), other.all("sitemap").length]).toEqual([[], [], 1])
})
