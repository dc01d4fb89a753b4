import { writtenDate } from "#base/text/written-date.ts"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { feedParser } from "./feeds.ts"
import type { ListedAddress } from "../frontier/frontier.ts"
import { listed } from "./list-parser.ts"
import { sitemapParser } from "./sitemaps.ts"

const BASE = "https://site.example/feed" as PageUrl

async function parsed(text: string, kind: "feed" | "sitemap" = "feed") {
  const pages: ListedAddress[] = []
  const sitemaps: unknown[] = []
  const parts = listed(Buffer.from(text), (_, take) =>
    kind === "feed" ? feedParser(BASE, take) : sitemapParser(BASE, take),
  )
  for await (const part of parts) {
    pages.push(...part.pages)
    sitemaps.push(...part.sitemaps)
  }
  return { pages, sitemaps }
}

const date = (text: string) => Date.parse(text)

test("RSS 2.0 provides links, permanent ids and dates, and invalid addresses are left out", async () => {
  const { pages } = await parsed(`<?xml version="1.0"?><rss version="2.0"><channel><title>Blog</title>
    <link>https://site.example/</link>
    <item><title>One</title><link> /one </link><pubDate>Mon, 06 Sep 2021 16:45:00 +0000</pubDate></item>
    <item><guid>https://site.example/two</guid></item>
    <item><guid isPermaLink="false">https://site.example/never</guid></item>
    <item><link><![CDATA[https://site.example/three?a=1&b=2]]></link><category>Other</category></item>
    </channel></rss>`)
  expect(pages).toEqual([
    {
      url: "https://site.example/one",
      publishedAt: date("2021-09-06T16:45:00Z"),
      modifiedAt: date("2021-09-06T16:45:00Z"),
      isNews: false,
    },
    { url: "https://site.example/two", publishedAt: null, modifiedAt: null, isNews: false },
    { url: "https://site.example/three?a=1&b=2", publishedAt: null, modifiedAt: null, isNews: false },
  ])
})

test("RSS 1.0 and Atom are read, and an entry is news if it or its feed says so", async () => {
  const rdf =
    await parsed(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel rdf:about="x"/>
    <item rdf:about="https://site.example/r1"><dc:date>2022-01-02T03:04:05Z</dc:date></item></rdf:RDF>`)
  expect(rdf.pages).toMatchObject([
    { url: "https://site.example/r1", publishedAt: date("2022-01-02T03:04:05Z") },
  ])
  const atom = await parsed(`<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/>
    <entry><id>tag:site.example,2022:1</id><link rel="edit" href="/edit"/><link href="/a1"/><category term="News"/>
      <published>2022-01-01T00:00:00Z</published><updated>2022-02-01T00:00:00Z</updated></entry>
    <entry><id>https://site.example/a2</id></entry></feed>`)
  expect(atom.pages).toEqual([
    {
      url: "https://site.example/a1",
      publishedAt: date("2022-01-01"),
      modifiedAt: date("2022-02-01"),
      isNews: true,
    },
    { url: "https://site.example/a2", publishedAt: null, modifiedAt: null, isNews: false },
  ])
  const news = await parsed(
    "<rss><channel><category>News</category><item><link>/n</link></item></channel></rss>",
  )
  expect(news.pages).toMatchObject([{ isNews: true }])
})

test("sitemaps provide dates, news and indexes; a day without a time counts to its end, and images are not pages", async () => {
  const { pages, sitemaps } = await parsed(
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      <url><loc>/a</loc><lastmod>2022-03-04</lastmod><image:image><image:loc>/a.png</image:loc></image:image></url>
      <url><lastmod>2022-03-04T05:06:07+01:00</lastmod><loc>/b</loc>
        <news:news><news:publication><news:name>Paper</news:name></news:publication>
        <news:publication_date>2022-03-03</news:publication_date><news:title>B</news:title></news:news></url>
      <url><loc></loc></url><url><loc>/c</loc><lastmod>3022-01-01</lastmod></url>
      <sitemap><loc>/more.xml</loc><lastmod>2022-01-01T00:00:00Z</lastmod></sitemap></urlset>`,
    "sitemap",
  )
  expect(pages).toEqual([
    {
      url: "https://site.example/a",
      modifiedAt: date("2022-03-05") - 1,
      publishedAt: null,
      isNews: false,
    },
    {
      url: "https://site.example/b",
      modifiedAt: date("2022-03-04T04:06:07Z"),
      publishedAt: date("2022-03-03"),
      isNews: true,
    },
    { url: "https://site.example/c", modifiedAt: null, publishedAt: null, isNews: false },
  ])
  expect(sitemaps).toEqual([{ url: "https://site.example/more.xml", modifiedAt: date("2022-01-02") - 1 }])
})

test("impossible dates are ignored", () => {
  expect(writtenDate("0001-01-01T00:00:00Z")).toBeNull()
  expect(writtenDate("soon")).toBeNull()
  expect(writtenDate("")).toBeNull()
  expect(writtenDate("1".repeat(10_000))).toBeNull()
})

test.each([
  [
    "a picture with a link",
    "<rss version='2.0'><channel><item><title>One</title><link>https://site.example/one</link><image><url>/i.png</url><link>https://site.example/picture</link></image></item></channel></rss>",
    ["/one"],
  ],
  [
    "the feed that an entry is from",
    "<feed xmlns='http://www.w3.org/2005/Atom'><entry><source><id>https://other.example/</id><link href='https://other.example/'/><updated>2001-01-01T00:00:00Z</updated></source><id>tag:1</id><link href='/one'/></entry></feed>",
    ["/one"],
  ],
  [
    "bases of the feed and the entry",
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/blog/'><entry><link href='one'/></entry><entry xml:base='2020/'><link href='two'/></entry><entry><link xml:base='/other/' href='three'/></entry></feed>",
    ["/blog/one", "/blog/2020/two", "/other/three"],
  ],
  [
    "RSS 1.0 under a prefix",
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:r='http://purl.org/rss/1.0/'><r:channel/><r:item rdf:about='/about'><r:title>One</r:title><r:link>/one</r:link></r:item></rdf:RDF>",
    ["/one"],
  ],
  [
    "Atom under a prefix",
    "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link rel='self' href='/self'/><a:link href='/one'/></a:entry></a:feed>",
    ["/one"],
  ],
  [
    "Atom's links in RSS",
    "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel><atom:link rel='self' href='/feed'/><item><atom:link rel='replies' href='/one/feed'/><link>/one</link></item><item><atom:link href='/two'/></item></channel></rss>",
    ["/one", "/two"],
  ],
  [
    "a page and its PDF",
    "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link rel='alternate' type='application/pdf' href='/one.pdf'/><link rel='alternate' type='text/html' href='/one'/></entry><entry><link rel='alternate' type='application/pdf' href='/two.pdf'/></entry></feed>",
    ["/one", "/two.pdf"],
  ],
  [
    "CDATA and blanks",
    "<rss><channel><item><link>\n <![CDATA[ /one?a=1&b=2 ]]>\n</link></item></channel></rss>",
    ["/one?a=1&b=2"],
  ],
  [
    "HTML that is not escaped, nor closed",
    "<rss><channel><item><description><p>Text<br>more <a href='/x'>x</a></description><link>/one</link></item><item><link>/two</link></item></channel></rss>",
    ["/one", "/two"],
  ],
  [
    "extensions with links of their own",
    "<rss xmlns:media='http://search.yahoo.com/mrss/' xmlns:x='urn:x'><channel><item><link>/one</link><media:group><media:content url='/v.mp4'/><media:link>/m</media:link></media:group><x:link>/x</x:link><x:id>https://site.example/y</x:id></item></channel></rss>",
    ["/one"],
  ],
  [
    "a name that is the address, and one that is not",
    "<rss><channel><item><guid>https://site.example/one</guid></item><item><guid ISPERMALINK='FALSE'>https://site.example/never</guid></item></channel></rss>",
    ["/one"],
  ],
  [
    "the address before a counter's",
    "<rss xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'><channel><item><link>https://counter.example/~r/1</link><feedburner:origLink>https://site.example/one</feedburner:origLink></item></channel></rss>",
    ["/one"],
  ],
  [
    "a form for searching",
    "<rss><channel><textInput><link>/find</link></textInput><item><link>/one</link></item><image><link>/</link></image></channel></rss>",
    ["/one"],
  ],
  [
    "XHTML in an entry",
    "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><link rel='alternate' href='/css'/><item>x</item><id>https://site.example/no</id></div></content><link href='/one'/></entry></feed>",
    ["/one"],
  ],
  [
    "capitals",
    "<RSS><CHANNEL><ITEM><LINK>/one</LINK><PUBDATE>Mon, 06 Sep 2021 16:45:00 +0000</PUBDATE></ITEM></CHANNEL></RSS>",
    ["/one"],
  ],
  [
    "Atom 0.3",
    "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><link rel='alternate' type='text/html' href='/'/><entry><link rel='service.edit' type='application/x.atom+xml' href='/edit'/><link rel='alternate' type='text/html' href='/one'/><issued>2004-01-02T03:04:05Z</issued></entry></feed>",
    ["/one"],
  ],
  [
    "nothing but a sound",
    "<rss><channel><item><title>x</title><enclosure url='/a.mp3' type='audio/mpeg'/></item><item><link>/two</link></item></channel></rss>",
    ["/two"],
  ],
  [
    "items that are not closed",
    "<rss><channel><item><link>/one</link><item><link>/two</link></channel></rss>",
    ["/one", "/two"],
  ],
  [
    "an element that is not closed before the link",
    "<rss><channel><item><title>One<link>/one</link></item><item><link>/two</link></item></channel></rss>",
    ["/one", "/two"],
  ],
  [
    "an author with a page",
    "<feed xmlns='http://www.w3.org/2005/Atom'><entry><author><name>A</name><link href='/a'/><id>https://site.example/a</id></author><id>https://site.example/one</id></entry></feed>",
    ["/one"],
  ],
  [
    "an ampersand escaped twice",
    "<rss><channel><item><link>/get?a=1&amp;amp;b=2</link></item></channel></rss>",
    ["/get?a=1&b=2"],
  ],
  [
    "channel definition format",
    "<CHANNEL HREF='https://site.example/'><ITEM HREF='https://site.example/one'><TITLE>One</TITLE></ITEM></CHANNEL>",
    ["/one"],
  ],
  [
    "a prefix that is not declared",
    "<rss><channel><item><dc:date>2020-01-02</dc:date><link>/one</link><foo:link>/no</foo:link></item></channel></rss>",
    ["/one"],
  ],
])("an entry's address is its own: %s", async (_name, feed, paths) => {
  const { pages } = await parsed(feed)
  expect(pages.map(({ url }) => url)).toEqual(paths.map((path) => `https://site.example${path}`))
})

test("dates and categories are an entry's own, whatever their prefixes are called", async () => {
  const { pages } = await parsed(
    `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:dc="urn:something-else">
    <item r:about="https://site.example/one"><d:date>2020-01-02</d:date><dc:date>2001-01-01</dc:date></item>
    <item r:about="https://site.example/two"><source><category>News</category><d:date>2001-01-01</d:date></source></item></r:RDF>`,
  )
  expect(pages).toEqual([
    {
      url: "https://site.example/one",
      publishedAt: date("2020-01-02"),
      modifiedAt: date("2020-01-02"),
      isNews: false,
    },
    { url: "https://site.example/two", publishedAt: null, modifiedAt: null, isNews: false },
  ])
})
