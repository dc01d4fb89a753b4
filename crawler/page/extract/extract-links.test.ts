import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { array, assert, constantFrom, property } from "fast-check"
import { expect, test } from "vitest"
import { extractHtml } from "./extract-html.ts"
import { extractLinks } from "./extract-links.ts"
import type { Extracted } from "./extracted.ts"

const URL = "https://docs.example.com/guide/start.html"
const PAGES = join(import.meta.dirname, "../../../bench/testing/pages")

const found = ({ links, robots, canonical, description }: Extracted) => ({
  links: links.map(({ url, nofollow }) => ({ url, nofollow })),
  robots,
  canonical,
  description,
})
const links = (html: string) => extractLinks(html, URL).links.map(({ url }) => url)

/** Checks that both ways of reading yield the same result. */
function agree(html: string): void {
  expect({ html, ...found(extractLinks(html, URL)) }).toEqual({ html, ...found(extractHtml(html, URL)) })
}

test("finds the same links on real pages as the full extraction", async () => {
  const pages: string[] = []
  for await (const page of glob(join(PAGES, "**/*.html"))) pages.push(page)
  expect(pages.length).toBeGreaterThan(10)
  for (const page of pages) agree(readFileSync(page, "utf8"))
})

test("reads the head and the links, and leaves the rest empty", () => {
  const page = extractLinks(
    `<html><head><title> Set up &amp; run
       | Docs</title><meta name=description content="How to set up."><meta property=og:site_name content=Docs>
     <link rel=canonical href=/guide/><meta name=ROBOTS content="noindex, follow"></head>
     <body><h1>Another heading</h1><p>Text with <a href=next.html>a link</a>.</p></body></html>`,
    URL,
  )
  expect(page).toMatchObject({
    title: "Set up & run",
    description: "How to set up.",
    canonical: "https://docs.example.com/guide/",
    robots: { noindex: true, nofollow: false },
    links: [{ url: "https://docs.example.com/guide/next.html", text: "", nofollow: false }],
    markdown: "",
  })
})

test("links are resolved against the document's base, wherever it appears", () => {
  const html = `<a href=a.html>a</a><base href="/other/"><base href="/third/"><a href="../b.html">b</a>`
  expect(links(html)).toEqual(["https://docs.example.com/other/a.html", "https://docs.example.com/b.html"])
  agree(html)
})

test("an address may contain character references, in any quotes or none", () => {
  const html = `<a href="?a=1&amp;b=2">1</a><a href='x&#x2e;html'>2</a><a href=?a=1&copy=2>3</a><AREA HREF =
    "say&quot;.html">`
  expect(links(html)).toEqual([
    "https://docs.example.com/guide/start.html?a=1&b=2",
    "https://docs.example.com/guide/x.html",
    "https://docs.example.com/guide/start.html?a=1&copy=2",
    "https://docs.example.com/guide/say%22.html",
  ])
  agree(html)
})

test("a link is followed when any anchor allows it, and counted once regardless of its fragment", () => {
  const html = `<a rel=nofollow href=a>1</a><a href=a#part>2</a><a rel="external UGC" href=b>3</a><a href="#top">4</a>`
  expect(extractLinks(html, URL).links).toEqual([
    { url: "https://docs.example.com/guide/a", text: "", nofollow: false },
    { url: "https://docs.example.com/guide/b", text: "", nofollow: true },
  ])
  agree(html)
})

test("something that only looks like a link is ignored", () => {
  for (const html of [
    `<!-- <a href=no> --!><a href=yes>`,
    `<!--><a href=yes><!-- <a href=no>`,
    `<!doctype html "<a href=no>"><a href=yes>`,
    `<script>document.write("<a href=no></a>")</SCRIPT ><a href=yes>`,
    `<textarea><a href=no></textareas></textarea/><a href=yes>`,
    `<title><a href=no></title><a href=yes>`,
    `<p title="<a href=no>" data-x='<a href=no>'><a href=yes>`,
    `<a href=yes><a href="no`,
    `</a href=no><? <a href=no ?><a href=yes>`,
    `<a href=yes href=no><a name=no><a href="mailto:no@example.com"><a href="javascript:no()">`,
    `<a href=yes><plaintext><a href=no>`,
    `<svg><title/><desc/></svg><a href=yes>`,
    `<svg><![CDATA[<a href=no>]]></svg><a href=yes>`,
    `< a href=no><a/href=yes>`,
  ]) {
    expect({ html, links: links(html) }).toEqual({ html, links: ["https://docs.example.com/guide/yes"] })
    agree(html)
  }
})

test("agrees with the full extraction on fragments of HTML in any order", () => {
  const scraps = constantFrom(
    ..."<a href=x>|<a href=\"y?a&amp;b#c\">|</a>|<A REL=nofollow HREF='../z'|>|<!--|-->|--!>|<script>|</script>".split(
      "|",
    ),
    ..."</script|<style>|</style>|<title>|</title>|<textarea>|</textarea>|\"|'|=|/|<|</| |\n|text|&amp|href=|<base href=/b/>".split(
      "|",
    ),
    ...'<meta name=robots content=nofollow>|<link rel=canonical href=c>|<area href=d>|<p a="|<?|<!x|<iframe>|</iframe>|<xmp >|</xmp>'.split(
      "|",
    ),
  )
  const documents = array(scraps, { maxLength: 30 }).map((parts) => parts.join(""))
  assert(
    property(documents, (html) => {
      expect(found(extractLinks(html, URL))).toEqual(found(extractHtml(html, URL)))
    }),
    { numRuns: 1000 },
  )
})

test("takes linear time for any text", () => {
  // Each of these would take minutes if it were read again from every position where a construct might begin.
  for (const scrap of [
    "<",
    "<!--",
    "<a ",
    '<a b="',
    "<script>",
    "</title",
    "<![CDATA[",
    "<svg>",
    "&amp;<a href=&",
  ]) {
    expect(extractLinks(scrap.repeat(1_000_000 / scrap.length), URL).markdown).toBe("")
  }
})

test("a page with links to its own routes keeps them, and any other page drops fragments", () => {
  const own = `<link rel=canonical href=start.html><a href="#!/care">a</a><a href="next.html#top">b</a><a href="#top">c</a>`
  expect(links(own)).toEqual([
    "https://docs.example.com/guide/start.html#!/care",
    "https://docs.example.com/guide/next.html",
  ])
  expect(extractLinks(own, URL).canonical).toBe(URL)
  expect(links(`<a href="#/">up</a><a href="other.html#/care">b</a>`)).toEqual([
    "https://docs.example.com/guide/other.html",
  ])
  for (const html of [own, `<a href="#/">up</a>`, `<a href="/guide/start.html#/x">x</a>`]) agree(html)
})
