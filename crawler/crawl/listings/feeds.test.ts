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

test("RSS 2.0: links, permanent names, dates; what is no address is left out", async () => {
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

test("RSS 1.0 and Atom; an entry is news when it or its feed says so", async () => {
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

test("sitemaps: dates, news, indexes; a day without a time counts to its end; images are no pages", async () => {
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
  expect(sitemaps).toEqual([{ url: "https://site.example/more.xml", modifiedAt: date("2022-01-01") }])
})

test("dates that cannot be meant are none", () => {
  expect(writtenDate("0001-01-01T00:00:00Z")).toBeNull()
  expect(writtenDate("soon")).toBeNull()
  expect(writtenDate("")).toBeNull()
  expect(writtenDate("1".repeat(10_000))).toBeNull()
})
