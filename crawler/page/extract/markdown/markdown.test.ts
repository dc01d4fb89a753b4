import { describe, expect, it } from "vitest"
import { toMarkdown } from "./markdown.ts"
import { parseTree } from "../html/tree.ts"

function markdownOf(html: string): string {
  return toMarkdown(parseTree(html), {
    baseUrl: "https://example.org/guide/",
    skipped: new Set(),
    sourceChars: html.length,
  })
}

describe("markdown", () => {
  it("writes headings and paragraphs", () => {
    expect(markdownOf("<h2>Install</h2><p>First <b>unpack</b>,\n then <em>run</em>.</p>")).toBe(
      "## Install\n\nFirst **unpack**, then *run*.",
    )
  })

  it("drops the permalink that a documentation tool hangs on a heading", () => {
    expect(markdownOf('<h2>Usage<a class="headerlink" href="#usage">¶</a></h2>')).toBe("## Usage")
    expect(markdownOf('<h3><a href="#opts">#</a>Options</h3>')).toBe("### Options")
  })

  it("drops a permalink written in words", () => {
    const heading = (mark: string) => markdownOf(`<h2>Usage ${mark}</h2>`)
    expect(heading('<a class="anchor" href="#usage">Permanent link</a>')).toBe("## Usage")
    expect(heading('<a aria-label="Direct link to Usage" href="#usage">Direct link to Usage</a>')).toBe(
      "## Usage",
    )
    expect(heading('<a aria-hidden="true" href="#usage">copy</a>')).toBe("## Usage")
    const wrapper =
      '<a class="sl-anchor-link" href="#usage"><span class="sr-only">Section titled “Usage”</span></a>'
    expect(markdownOf(`<div><h2>Usage</h2>${wrapper}</div>`)).toBe("## Usage")
  })

  it("keeps a heading that is itself a link to a section", () => {
    expect(markdownOf('<h3><a href="#opts">Options</a></h3>')).toBe(
      "### [Options](https://example.org/guide/#opts)",
    )
  })

  it("makes links absolute and drops script links", () => {
    expect(markdownOf('<p><a href="../api">API</a> and <a href="javascript:go()">more</a></p>')).toBe(
      "[API](https://example.org/api) and more",
    )
  })

  it("keeps parentheses in an address from ending it", () => {
    expect(markdownOf('<p><a href="/wiki/Cat_(animal)">cat</a></p>')).toBe(
      "[cat](https://example.org/wiki/Cat_%28animal%29)",
    )
  })

  it("writes a link target as its text", () => {
    expect(markdownOf('<h3><a id="opts">Options</a></h3><p><a name="x">See</a> there</p>')).toBe(
      "### Options\n\nSee there",
    )
  })

  it("keeps code in bold readable as code", () => {
    expect(markdownOf("<p>Run <b><code>npm ci</code></b>, then go.</p>")).toBe("Run **`npm ci`**, then go.")
    expect(markdownOf("<p><a href='/u'><b><code>f(a*b)</code></b></a></p>")).toBe(
      "[**`f(a*b)`**](https://example.org/u)",
    )
    // Between a letter and a backtick, asterisks would appear literally.
    expect(markdownOf("<p>two <b><code>hive</code></b>s</p>")).toBe("two `hive`s")
    expect(markdownOf("<p>并<strong><code>hive</code></strong>的</p>")).toBe("并`hive`的")
  })

  it("merges adjacent pieces of code", () => {
    expect(markdownOf("<p><tt><b>--name</b></tt><tt>=value</tt></p>")).toBe("`--name=value`")
    expect(markdownOf("<p><b><code>a</code></b><b><code>b</code></b></p>")).toBe("**`ab`**")
    expect(markdownOf("<p>\\`<code>a</code></p>")).toBe("\\\\\\``a`")
  })

  it("nests lists and numbers ordered ones from their start", () => {
    expect(markdownOf("<ul><li>One<ul><li>Inner</li></ul></li><li>Two</li></ul>")).toBe(
      "- One\n  - Inner\n- Two",
    )
    expect(markdownOf('<ol start="3"><li>Three<li>Four</ol>')).toBe("3. Three\n4. Four")
  })

  it("indents code inside a list item to the item", () => {
    expect(markdownOf("<ol><li><p>Run</p><pre>npm ci\nnpm start</pre></li></ol>")).toBe(
      "1. Run\n\n   ```\n   npm ci\n   npm start\n   ```",
    )
  })

  it("keeps code as it stands, with its language", () => {
    expect(markdownOf('<pre><code class="language-ts">const a = `x`\n  *b*</code></pre>')).toBe(
      "```ts\nconst a = `x`\n  *b*\n```",
    )
    expect(markdownOf('<div class="highlight-python"><pre><span>a</span> = 1<br>b</pre></div>')).toBe(
      "```python\na = 1\nb\n```",
    )
  })

  it("makes the fence longer than any backtick run in the code", () => {
    expect(markdownOf("<pre>```js\n```</pre>")).toBe("````\n```js\n```\n````")
    expect(markdownOf("<p><code>a`b</code></p>")).toBe("``a`b``")
  })

  it("writes tables with escaped bars, and without line breaks in cells", () => {
    expect(markdownOf("<table><tr><th>Name<th>Use<tr><td>a|b<td>one<br>two<tr><td>c</table>")).toBe(
      "| Name | Use |\n| --- | --- |\n| a\\|b | one two |\n| c |  |",
    )
  })

  it("keeps cells in their columns after cells that span several", () => {
    expect(
      markdownOf(
        "<table><tr><th>Deck<th>Cabin<th>Price<tr><td rowspan=2>A<td>1<td>90<tr><td>2<td>95<tr><td>B<td rowspan=0>3<td>80<tr><td>C<td>70</table>",
      ),
    ).toBe(
      "| Deck | Cabin | Price |\n| --- | --- | --- |\n| A | 1 | 90 |\n| A | 2 | 95 |\n| B | 3 | 80 |\n| C | 3 | 70 |",
    )
    const prose = "Said once. ".repeat(10).trim()
    expect(
      markdownOf(
        `<table><tr><th rowspan=2>Port<th colspan=2>Tide<th rowspan=2>Note<tr><th>High<th>Low<tr><td>Hull<td>4<td>1<td rowspan=2>${prose}<tr><td colspan=2>Whitby<td>2<tr><td colspan=9>In metres</table>`,
      ),
    ).toBe(
      `| Port | Tide |  | Note |\n| --- | --- | --- | --- |\n| Port | High | Low | Note |\n| Hull | 4 | 1 | ${prose} |\n| Whitby |  | 2 |  |\n| In metres |  |  |  |`,
    )
    // Column and row spans don't multiply a table's text.
    const wide = `<table>${"<tr><td colspan=99 rowspan=999>a<td>b</tr>".repeat(2000)}</table>`
    expect(markdownOf(wide).length).toBeLessThan(10 * wide.length)
  })

  it("leaves column names empty when the first row has none", () => {
    const row = (first: string, second: string) => `<tr>${first}${second}</tr>`
    const headed = row("<th>Owner", "<td>root") + row("<th>Size", "<td>3")
    const pairs = row("<td>Owner", "<td>root") + row("<td>Size", "<td>3")
    for (const rows of [headed, pairs])
      expect(markdownOf(`<table>${rows}</table>`)).toBe(
        "|  |  |\n| --- | --- |\n| Owner | root |\n| Size | 3 |",
      )
    for (const rows of [
      `<thead>${row("<td>Owner", "<td>root")}</thead>${row("<td>Size", "<td>3")}`,
      row("<td><b>Owner</b>", "<td><b>root</b>") + row("<td>Size", "<td>3"),
      row("<td>Owner", "<td>root<td>x") + row("<td>Size", "<td>3<td>y"),
    ])
      expect(markdownOf(`<table>${rows}</table>`)).toMatch(/^\| \**Owner/)
  })

  it("reads a layout table as the blocks in it", () => {
    expect(markdownOf("<table><tr><td><h2>A</h2><p>Text</p></td><td><p>Other</p></td></tr></table>")).toBe(
      "## A\n\nText\n\nOther",
    )
  })

  it("writes quotes, rules and definitions", () => {
    expect(markdownOf("<blockquote><p>One</p><p>Two</p></blockquote><hr><dl><dt>Term<dd>Meaning</dl>")).toBe(
      "> One\n>\n> Two\n\n---\n\n**Term**\n\n: Meaning",
    )
  })

  it("keeps a line break inside a quote", () => {
    expect(markdownOf("<blockquote>one<br>two</blockquote>")).toBe("> one  \n> two")
  })

  it("uses a lazy image's real address and drops placeholders and pixels", () => {
    expect(markdownOf('<p><img src="data:image/gif;base64,R0" data-src="/a.png" alt="A [plan]"></p>')).toBe(
      "![A \\[plan\\]](https://example.org/a.png)",
    )
    expect(markdownOf('<p>x<img src="/p.gif" width="1" height="1"></p>')).toBe("x")
    expect(markdownOf('<img srcset="/s.png 1x, /l.png 2x">')).toBe("![](https://example.org/s.png)")
  })

  it("uses an image's caption when it has no alternative text", () => {
    expect(markdownOf('<figure><img src="/a.png"><figcaption>The yard</figcaption></figure>')).toContain(
      "![The yard](https://example.org/a.png)",
    )
  })

  it.each([
    ["<p># not a heading</p>", "\\# not a heading"],
    ["<p>1. not a list</p>", "1\\. not a list"],
    ["<p>- nor this</p>", "\\- nor this"],
    ["<p>&gt; nor a quote</p>", "\\> nor a quote"],
    ["<p>2 * 3 * 4 and [x](y)</p>", "2 \\* 3 \\* 4 and \\[x\\](y)"],
    ["<p>&lt;script&gt; &amp;lt;</p>", "\\<script> \\&lt;"],
    ["<p>snake_case but _this_</p>", "snake_case but \\_this\\_"],
    ["<p>a<br>b</p>", "a  \nb"],
  ])("escapes text that looks like markup: %s", (html, markdown) => {
    expect(markdownOf(html)).toBe(markdown)
  })

  it.each([
    ["<p>Wow!<a href='/a'>this</a></p>", "Wow\\![this](https://example.org/a)"],
    ["<p>Wow! <a href='/a'>this</a></p>", "Wow! [this](https://example.org/a)"],
    ["<p>Wow<i>!</i><a href='/a'>this</a></p>", "Wow*!*[this](https://example.org/a)"],
    ["<p><span>¡Sí!</span><span><a href='/a'>esto</a></span></p>", "¡Sí\\![esto](https://example.org/a)"],
    ["<h2>Hi!<a href='/a'>this</a></h2>", "## Hi\\![this](https://example.org/a)"],
    ["<ul><li>!<a href='/a'>this</a></li></ul>", "- \\![this](https://example.org/a)"],
    ["<p>!<img src='/i.png' alt='i'></p>", "!![i](https://example.org/i.png)"],
    ["<p>Wow!!<a href='/a'>this</a></p>", "Wow!\\![this](https://example.org/a)"],
    ["<p>&lt;<span>script&gt;</span></p>", "\\<script>"],
    ["<p><b>x</b>&lt;<span>/b&gt;</span></p>", "**x**\\</b>"],
    ["<p>&amp;<span>lt;</span> &amp;l<span>t;</span> R&amp;<span>D</span></p>", "\\&lt; \\&lt; R\\&D"],
    ["<p>R&amp;<span>D and more</span> AT&amp;<b>T</b></p>", "R&D and more AT&**T**"],
    ["<p>~<span>~x~</span>~</p>", "\\~~x\\~~"],
    ["<p>~<del>x</del>~</p>", "\\~~~x~~\\~"],
  ])("escapes markup that would only form across elements: %s", (html, markdown) => {
    expect(markdownOf(html)).toBe(markdown)
  })

  it.each([
    ["a list behind a list", "<ul><li>a<li>b</ul><ul><li>c</ul>", "- a\n- b\n\n* c"],
    ["numbers that begin anew", "<ol><li>a<li>b</ol><ol><li>c</ol>", "1. a\n2. b\n\n1) c"],
    ["three lists in boxes", "<div><ul><li>a</ul></div><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"],
    [
      "nested lists in a row",
      "<ul><li>x<ul><li>a</ul><ul><li>b<p>more</ul></ul>",
      "- x\n  - a\n  * b\n\n    more",
    ],
    ["lists with text between", "<ul><li>a</ul><p>or</p><ul><li>b</ul>", "- a\n\nor\n\n- b"],
    ["other kinds of lists", "<ul><li>a</ul><ol><li>b</ol>", "- a\n\n1. b"],
    ["a rule in an item", "<ul><li>a<li><hr></ul>", "- a\n- ***"],
    ["an item without text", "<ol><li>a<li><li><img><li>d</ol>", "1. a\n2.\n3.\n4. d"],
    ["no item with text", "<ol class='dots'><li><li></ol><p>b</p>", "b"],
    [
      "what looks like a link in a description",
      "<p><img src='/i.png' alt='[foo](bar)'></p>",
      "![\\[foo\\]\\(bar)](https://example.org/i.png)",
    ],
    ["a language of any letters", "<pre><code class='language-föö'>x</code></pre>", "```föö\nx\n```"],
  ])("keeps %s intact in the markdown", (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown)
  })

  it("links a card by its heading", () => {
    expect(markdownOf('<a href="/p"><div><h3>Post</h3><p>Summary</p></div></a>')).toBe(
      "### [Post](https://example.org/p)\n\nSummary",
    )
  })

  it("writes a formula as its TeX source when it carries one", () => {
    expect(
      markdownOf(
        '<p>So <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>.</p>',
      ),
    ).toBe("So $x^2$.")
  })
})

describe("references to notes", () => {
  it.each([
    [
      "the next number behind a word",
      "an essay<sup>1</sup>, and later.<sup>2</sup>",
      "an essay\\[1\\], and later.\\[2\\]",
    ],
    ["a link", 'an essay<sup><a href="#n7">7</a></sup>', "an essay[\\[7\\]](https://example.org/guide/#n7)"],
    [
      "a link around it",
      'an essay<a href="#n"><sup>*</sup></a>',
      "an essay[\\[\\*\\]](https://example.org/guide/#n)",
    ],
  ])("do not become part of a word: %s", (_, html, markdown) => {
    expect(markdownOf(`<p>${html}</p>`)).toContain(markdown)
  })

  it.each([
    "12 cm<sup>2</sup>",
    "10 feet<sup>2</sup>",
    "x<sup>1</sup>",
    "the 1<sup>st</sup>",
    "Foo<sup>TM</sup>",
  ])("are not confused with powers and ordinals: %s", (html) =>
    expect(markdownOf(`<p>${html}</p>`)).toBe(html.replace(/<\/?sup>/g, "")),
  )
})
