import { describe, expect, test } from "vitest"
import { toPassages } from "#engine/text/passages.ts"
import { extractHtml } from "./extract.ts"

const URL = "https://docs.example.org/guide/install.html"
const prose = (about: string) =>
  `<p>${`${about} is described here in whole sentences, with all that one has to know of it. `.repeat(5)}</p>`

/** Headings of the extracted text, each with the fragment that links to it. */
function headings(html: string, url = URL) {
  const { markdown, anchors = [] } = extractHtml(html, url)
  const lines = markdown.split("\n")
  return anchors.map(([line, fragment]) => [lines[line]!.replace(/^[-*> ]*#+ /, ""), fragment])
}

describe("a page's headings get their anchors", () => {
  test("from Sphinx", () => {
    const html = `<!doctype html><title>Install — Pump 1.0 documentation</title>
      <div class="related" role="navigation"><h3>Navigation</h3><ul><li><a href="../genindex.html">index</a></li></ul></div>
      <div class="document"><div class="bodywrapper"><div class="body" role="main">
      <section id="install"><h1>Install<a class="headerlink" href="#install" title="Link to this heading">¶</a></h1>${prose("Installing")}
      <section id="from-source"><span id="index-0"></span><h2>From source<a class="headerlink" href="#from-source" title="Permalink to this heading">¶</a></h2>${prose("The source")}</section>
      <section id="id1"><h2>Über uns<a class="headerlink" href="#id1" title="Link to this heading">¶</a></h2>${prose("We")}</section>
      </section></div></div></div>`
    expect(headings(html)).toEqual([
      ["From source", "from-source"],
      ["Über uns", "id1"],
    ])
  })

  test("from MkDocs", () => {
    const html = `<!doctype html><title>Install - Pump</title><body>
      <input class="md-toggle" data-md-toggle="drawer" type="checkbox" id="__drawer" autocomplete="off">
      <nav class="md-nav" id="nav"><a href="#from-source">From source</a></nav>
      <main class="md-main"><article class="md-content__inner md-typeset"><h1 id="install">Install<a class="headerlink" href="#install" title="Permanent link">&para;</a></h1>${prose("Installing")}
      <h2 id="from-source">From <code>source</code><a class="headerlink" href="#from-source" title="Permanent link">&para;</a></h2>${prose("The source")}
      <h3 id="c_1">C++ &amp; C<a class="headerlink" href="#c_1" title="Permanent link">&para;</a></h3>${prose("The language")}</article></main>`
    expect(headings(html)).toEqual([
      ["From `source`", "from-source"],
      ["C++ & C", "c_1"],
    ])
  })

  test("from Docusaurus", () => {
    const html = `<!doctype html><html lang="en"><head><title>Install | Pump</title></head><body><div id="__docusaurus"><main><article>
      <div class="theme-doc-markdown markdown"><header><h1>Install</h1></header>${prose("Installing")}
      <h2 class="anchor anchorWithStickyNavbar_LWe7" id="from-source">From source<a href="#from-source" class="hash-link" aria-label="Direct link to From source" title="Direct link to From source">​</a></h2>${prose("The source")}
      <h3 class="anchor anchorTargetStickyNavbar_Vzrq" id="größe">Größe<a href="#größe" class="hash-link" aria-label="Direct link to Größe">​</a></h3>${prose("The size")}</div></article></main></div></body></html>`
    expect(headings(html)).toEqual([
      ["From source", "from-source"],
      ["Größe", "gr%C3%B6%C3%9Fe"],
    ])
  })

  test("from javadoc, old and new", () => {
    const old = `<!doctype html><title>Pump</title><div class="contentContainer"><div class="description"><h2 title="Class Pump" class="title">Class Pump</h2>${prose("A pump")}</div>
      <div class="details"><ul class="blockList"><li class="blockList"><ul class="blockList"><li class="blockList"><a name="method.detail"><!--   --></a><h3>Method Detail</h3>
      <a name="seal-java.lang.String-">\n<!--   -->\n</a><ul class="blockList"><li class="blockList"><h4>seal</h4><pre>public void seal(String with)</pre>${prose("Sealing")}</li></ul>
      <a name="drain--"><!--   --></a><ul class="blockListLast"><li class="blockList"><h4>drain</h4><pre>public void drain()</pre>${prose("Draining")}</li></ul></li></ul></li></ul></div></div>`
    expect(headings(old)).toEqual([
      ["Method Detail", "method.detail"],
      ["seal", "seal-java.lang.String-"],
      ["drain", "drain--"],
    ])
    const now = `<!doctype html><title>Pump</title><main role="main"><div class="header"><h1 title="Class Pump" class="title">Class Pump</h1></div><section class="class-description" id="class-description">${prose("A pump")}</section>
      <section class="details"><ul class="details-list"><li><section class="constructor-details" id="constructor-detail"><h2>Constructor Details</h2>
      <ul class="member-list"><li><section class="detail" id="&lt;init&gt;()"><h3>Pump</h3><div class="member-signature">public Pump()</div>${prose("Making one")}</section></li></ul></section></li>
      <li><section class="method-details" id="method-detail"><h2>Method Details</h2><ul class="member-list"><li><section class="detail" id="seal(java.lang.String)"><h3>seal</h3>${prose("Sealing")}</section></li></ul></section></li></ul></section></main>`
    expect(headings(now)).toEqual([
      ["Constructor Details", "constructor-detail"],
      ["Pump", "%3Cinit%3E()"],
      ["Method Details", "method-detail"],
      ["seal", "seal(java.lang.String)"],
    ])
  })

  test("from man2html", () => {
    const html = `<HTML><HEAD><TITLE>Man page of PUMP</TITLE></HEAD><BODY><H1>PUMP</H1>Section: User Commands (1)<BR><A HREF="#index">Index</A><HR>
      <A NAME="lbAB">&nbsp;</A>\n<H2>NAME</H2>\n\npump - moves water\n<A NAME="lbAC">&nbsp;</A>\n<H2>SYNOPSIS</H2>\n<B>pump</B> [<B>-s</B>]\n
      <A NAME="lbAD">&nbsp;</A>\n<H2>DESCRIPTION</H2>\n${prose("The pump")}<HR><A NAME="index">&nbsp;</A><H2>Index</H2>\n<DL><DT><A HREF="#lbAB">NAME</A><DD></DL></BODY></HTML>`
    expect(headings(html).slice(0, 3)).toEqual([
      ["NAME", "lbAB"],
      ["SYNOPSIS", "lbAC"],
      ["DESCRIPTION", "lbAD"],
    ])
    const { markdown, anchors } = extractHtml(html, URL)
    const passages = toPassages(markdown, anchors)
    const found = passages.find(({ text }) => text.includes("moves water"))!
    expect(found).toMatchObject({ anchor: "lbAB", beginsUnder: "NAME" })
    expect(passages.find(({ text }) => text.includes("described here"))).toMatchObject({
      headings: ["DESCRIPTION"],
      anchor: "lbAD",
    })
  })

  test("from DocBook, MediaWiki and GitHub", () => {
    const docbook = `<title>Guide</title><div class="book"><div class="sect1"><div class="titlepage"><div><div><h2 class="title" style="clear: both"><a id="pump-seals"></a>Seals</h2></div></div></div>${prose("A seal")}
      <div class="sect2"><a name="id123"></a><div class="titlepage"><div><h3 class="title">Rings</h3></div></div>${prose("A ring")}</div></div></div>`
    expect(headings(docbook)).toEqual([
      ["Seals", "pump-seals"],
      ["Rings", "id123"],
    ])
    const wiki = `<title>Pump</title><div id="mw-content-text"><div class="mw-parser-output">${prose("A pump")}<h2><span id="Early_use"></span><span class="mw-headline" id="History">History</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>${prose("Its history")}</div></div>`
    expect(headings(wiki)).toEqual([["History", "Early_use"]])
    const github = `<title>Pump</title><article class="markdown-body">${prose("A pump")}<div class="markdown-heading" dir="auto"><h2 tabindex="-1" class="heading-element" dir="auto">Build it</h2><a id="user-content-build-it" class="anchor" aria-label="Permalink: Build it" href="#build-it"><svg class="octicon"><path d="m7"></path></svg></a></div>${prose("Building")}</article>`
    expect(headings(github)).toEqual([["Build it", "build-it"]])
  })
})

describe("a heading has no anchor", () => {
  const under = (heading: string, before = "") =>
    headings(`<title>T</title><main>${prose("A pump")}${before}${heading}${prose("More")}</main>`)

  test("except inside panels, from their controls, boxes or the panels themselves", () => {
    const html = `<!doctype html><title>Pumps</title><main><h1>Pumps</h1>${prose("The pump")}
      <h2><button id="b1" aria-expanded="false" aria-controls="p1">Price</button></h2><div id="p1">${prose("The price")}</div>
      <h2><button aria-expanded="false" aria-controls="p2">Size</button></h2><div id="p2">${prose("The size")}</div>
      <div role="button" aria-expanded="false" aria-controls="p3">Noise</div><div id="p3">${prose("The noise")}</div>
      <details id="d4"><summary>Weight</summary>${prose("The weight")}</details></main>`
    expect(headings(html)).toEqual([
      ["Price", "b1"],
      ["Size", "p2"],
      ["Noise", "p3"],
      ["Weight", "d4"],
    ])
  })

  test("when nothing names it, or text lies in between", () => {
    expect(under("<h2>Seals</h2>")).toEqual([])
    expect(under("<h2>Seals</h2>", '<a name="above"></a><p>Some words.</p>')).toEqual([])
    expect(under("<h2>Seals</h2>", '<div id="banner"></div><ul id="toc"></ul>')).toEqual([])
    expect(under('<h2>Seals <a href="/other#seals">see there</a></h2>')).toEqual([])
    expect(under('<h2 id="two words">Seals</h2>')).toEqual([])
    expect(under(`<h2 id="${"x".repeat(201)}">Seals</h2>`)).toEqual([])
  })

  test("when an earlier heading has the same name", () => {
    expect(under('<h2 id="a">Seals</h2>', `<h2 id="a">Valves</h2>${prose("A valve")}`)).toEqual([
      ["Valves", "a"],
    ])
  })
})

test("finding anchors changes no text, wherever the headings are", () => {
  const bare = `<h2 X1>One</h2>${prose("One")}<blockquote><h3 X2>Two</h3>${prose("Two")}</blockquote><ul><li><h4 X3>Three</h4>${prose("Three")}</li></ul>
    <table><tr><th><h5 X4>Four</h5></th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table><section><h3 X5>Five</h3>${prose("Five")}</section>`
  const page = (html: string) => extractHtml(`<title>T</title><main>${prose("A pump")}${html}</main>`, URL)
  const named = page(bare.replaceAll(/X(\d)/g, 'id="h$1"'))
  const plain = page(bare.replaceAll(/ X\d/g, ""))
  expect(named.markdown).toBe(plain.markdown)
  expect(plain.anchors).toBeUndefined()
  const bareOf = (markdown: string, anchors = named.anchors) =>
    toPassages(markdown, anchors).map(({ text, shown, headings: above }) => ({
      text,
      shown,
      headings: above,
    }))
  expect(bareOf(named.markdown)).toEqual(bareOf(plain.markdown, []))
  const lines = named.markdown.split("\n")
  expect(
    named.anchors!.map(([line, fragment]) => [fragment, /One|Two|Three|Four|Five/.exec(lines[line]!)?.[0]]),
  ).toEqual([
    ["h1", "One"],
    ["h2", "Two"],
    ["h3", "Three"],
    ["h4", "Four"],
    ["h5", "Five"],
  ])
  expect(lines[named.anchors![1]![0]]).toMatch(/^> /)
})

test("a page with hostile names takes linear time and yields a bounded result", () => {
  const many = `<title>T</title><main>${'<a id="x"></a><div id="y"><span id="z"></span></div>'.repeat(20_000)}${Array.from({ length: 8000 }, (_, i) => `<h2 id="h${i}">Heading ${i}</h2>`).join("")}${"\uFDD00\uFDD1 words and more. ".repeat(2000)}</main>`
  const { anchors, markdown } = extractHtml(many, URL)
  expect(anchors!.length).toBeLessThanOrEqual(5000)
  expect(anchors!.every(([line]) => line < markdown.split("\n").length)).toBe(true)
})
