import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { feedParser } from "./feeds.ts"
import { listed, type ListParser, type Take } from "./list-parser.ts"
import { sitemapParser, textParser } from "./sitemaps.ts"

const BASE = "http://x.example/" as PageUrl
const feed = (_: string, take: Take): ListParser => feedParser(BASE, take)
const sitemap = (_: string, take: Take): ListParser => sitemapParser(BASE, take)
const text = (_: string, take: Take): ListParser => textParser(take)

/** Reads a list part by part and counts its pages and sitemaps. */
async function counts(text: string, parser: typeof sitemap) {
  let [pages, sitemaps, most] = [0, 0, 0]
  for await (const part of listed(Buffer.from(text), parser)) {
    pages += part.pages.length
    sitemaps += part.sitemaps.length
    most = Math.max(most, part.pages.length + part.sitemaps.length)
  }
  return { pages, sitemaps, isBounded: most < 10_000 }
}

const ONE = "<url><loc>/p</loc></url>"
const powers = Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join(
  "",
)

const many = (name: string, times: number) =>
  Array.from({ length: times }, (_, at) => `${name}${at}="urn:${at}"`).join(" ")

// Nested elements used to take minutes and block the event loop.
test.each<[string, string, typeof sitemap, number, number]>([
  ["one address for ever", `<urlset>${ONE.repeat(400_000)}`, sitemap, 50_000, 0],
  [
    "one index for ever",
    `<sitemapindex>${"<sitemap><loc>/s.xml</loc></sitemap>".repeat(200_000)}`,
    sitemap,
    0,
    50_000,
  ],
  ["elements within elements", `<urlset>${ONE}${"<a>".repeat(2_000_000)}${ONE}`, sitemap, 1, 0],
  ["elements of a feed", `<rss><item><link>/p</link></item>${"<a>".repeat(2_000_000)}`, feed, 1, 0],
  ["a huge address", `<urlset>${ONE}<url><loc>/${"x".repeat(8_000_000)}</loc></url>${ONE}`, sitemap, 2, 0],
  ["a huge title", `<rss><item><title>${"x".repeat(8_000_000)}</title><link>/p</link></item>`, feed, 1, 0],
  [
    "names of namespaces",
    `<rss ${many("xmlns:n", 50_000)}>${`<item ${many("xmlns:m", 1)}><link>/p</link></item>`.repeat(20_000)}`,
    feed,
    20_000,
    0,
  ],
  [
    "titles in titles",
    `<rss>${"<item>".repeat(900)}${"<title>".repeat(90)}${"<link>/p</link>".repeat(100_000)}`,
    feed,
    1,
    0,
  ],
  ["entities of entities", `<!DOCTYPE x [${powers}]><urlset><url><loc>/&a9;</loc></url>`, sitemap, 1, 0],
  ["a line without an end", "x".repeat(8_000_000), text, 0, 0],
])("a list of %s is read in parts, up to its limit", async (_, text, parser, pages, sitemaps) => {
  expect(await counts(text, parser)).toEqual({ pages, sitemaps, isBounded: true })
})
