import { describe, expect, it } from "vitest"
import { extractHtml, extractLinks, extractText } from "./extract.ts"

const URL = "https://example.org/"
const read = (html: string) => extractHtml(html, URL)

// Each of these takes minutes, or overflows the stack, if any pass is quadratic or has unbounded recursion.
describe("hostile documents", () => {
  it("reads text at the bottom of half a million nested boxes", () => {
    expect(read(`${"<div>".repeat(500_000)}deep down`).markdown).toBe("deep down")
  })

  it("continues after boxes nested beyond the limit are closed", () => {
    const { markdown } = read(`${"<div>".repeat(5000)}deep${"</div>".repeat(5000)}<p>after</p>`)
    expect(markdown).toBe("deep\n\nafter")
  })

  it.each([
    ["end tags of nothing", "</x>".repeat(1_000_000)],
    ["unclosed paragraphs", "<p>a ".repeat(50_000)],
    ["unclosed inline tags", "<b><i><a href=x>".repeat(20_000)],
    ["unclosed list items", "<ul><li>".repeat(50_000)],
    ["unclosed tables", "<table><tr><td>".repeat(100_000)],
    ["cells in one row", `<table><tr>${"<td>x".repeat(80_000)}`],
    ["inline tags around blocks", "<span><div>x</div>".repeat(50_000)],
    ["opening angle brackets", "<".repeat(1_000_000)],
    ["unclosed comments", "<!--".repeat(500_000)],
    ["sections that only XML has", "<![CDATA[<svg>".repeat(200_000)],
    ["entities", "&amp;".repeat(500_000)],
    ["backticks", `<code>${"`".repeat(500_000)}</code>`],
    ["emphasis marks", "*_[".repeat(300_000)],
    ["spaces", `<p>x${" ".repeat(1_000_000)}y`],
    ["spaces in code", `<pre>x${" ".repeat(300_000)}y</pre>`],
    ["line breaks", `<p>x${"<br>".repeat(100_000)}y`],
    ["an unclosed script", `<script>${"x".repeat(1_000_000)}`],
    ["attributes", `<div ${"class=a ".repeat(200_000)}>text</div>`],
    ["nested quotes", `${"<blockquote>".repeat(50_000)}text`],
    ["headings", "<h2>Related</h2><p>x</p>".repeat(15_000)],
    ["broken structured data", `<script type="application/ld+json">${"[".repeat(1_000_000)}</script>`],
  ])("handles %s", (_name, html) => {
    const page = read(html)
    expect(typeof page.markdown).toBe("string")
    expect(page.links.length).toBeLessThan(20_001)
  })

  const far = `<base href="https://example.org/${"far".repeat(2000)}/">`
  it.each([
    ["nested quotes around code", `${"<blockquote>".repeat(300)}<pre>${"x\n".repeat(50_000)}`],
    ["nested quotes around paragraphs", `${"<blockquote>".repeat(300)}${"<p>x".repeat(25_000)}`],
    ["nested lists around code", `${"<ul><li>".repeat(150)}<pre>${"x\n".repeat(50_000)}`],
    [
      "nested lists with large numbers",
      `${'<ol start="9007199254740991"><li>'.repeat(150)}<pre>${"x\n".repeat(50_000)}`,
    ],
    ["nested definitions", `${"<dl><dd>".repeat(150)}<pre>${"x\n".repeat(50_000)}`],
    [
      "rows that are shorter than the first",
      `<table><tr>${"<td>x".repeat(100)}${"<tr><td>x".repeat(10_000)}`,
    ],
    ["links below a base that is long", `${far}${"<a href=x>y</a> ".repeat(6000)}`],
    ["images below a base that is long", `${far}${"<img src=x> ".repeat(8000)}`],
    [
      "images that share a caption",
      `<figure>${"<img src=x>".repeat(9000)}<figcaption>${"word ".repeat(100)}</figcaption></figure>`,
    ],
  ])("turns %s into at most six characters for each one, plus 250,000", (_name, html) => {
    const { markdown } = read(`<article><p>Words.</p>${html}`)
    expect(markdown.length).toBeLessThan(6 * html.length + 250_000)
  })

  it("keeps at most four million characters of links, however long the base is", () => {
    const links = Array.from({ length: 5000 }, (_, at) => `<a href=${at}>y</a>`).join("")
    const chars = read(`${far}${links}`).links.reduce((sum, { url }) => sum + url.length, 0)
    expect(chars).toBeLessThan(4_010_000)
    const scanned = extractLinks(`${far}${links}`, URL).links.reduce((sum, { url }) => sum + url.length, 0)
    expect(scanned).toBeLessThan(4_010_000)
    const text = Array.from({ length: 5000 }, (_, at) => `[y](${at})`).join(" ")
    const address = `https://example.org/${"far".repeat(2000)}/a.md`
    const written = extractText(text, address).links.reduce((sum, { url }) => sum + url.length, 0)
    expect(written).toBeLessThan(4_010_000)
  })

  it("truncates an attribute of ten million characters", () => {
    const { links, markdown } = read(`<a href="/${"x".repeat(10_000_000)}">far</a> near`)
    expect(markdown).toContain("far")
    expect(links[0]!.url.length).toBeLessThan(21_000)
  })

  it("drops null bytes", () => {
    expect(read("<p>nu\0ll and\0 void</p>").markdown).toBe("nu ll and void")
  })

  it.each([
    ["an empty document", "", ""],
    ["a fragment without a body", "just words", "just words"],
    ["a frameset", '<frameset cols="50%,50%"><frame src="a.html"></frameset>', ""],
    ["two bodies", "<body><p>one</p></body><body><p>two</p></body>", "one\n\ntwo"],
    ["a section that only XML has", "<body><![CDATA[<i>x</i><p>one</p>", "x\n\none"],
    ["text after the end", "<html><body><p>one</p></body></html><p>two</p>", "one\n\ntwo"],
    ["a head that never ends", "<head><title>T</title><p>text</p>", "text"],
    ["a bold tag closed outside its box", "<b><div>one</b></div><p>two</p>", "one\n\ntwo"],
  ])("reads %s", (_name, html, markdown) => {
    expect(read(html).markdown).toBe(markdown)
  })

  it("does not follow structured data that is nested absurdly deep", () => {
    const data = `{"@type":"Article","comment":`.repeat(5000) + "1" + "}".repeat(5000)
    expect(read(`<script type="application/ld+json">${data}</script><p>text</p>`).markdown).toBe("text")
  })
})
