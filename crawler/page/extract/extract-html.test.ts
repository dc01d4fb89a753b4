import { describe, expect, it } from "vitest"
import { extractHtml } from "./extract.ts"

const URL = "https://example.org/blog/2024/03/05/bees.html"

const PROSE = [
  "Bees keep the hive at thirty-five degrees all winter long, by shivering in turns around the queen.",
  "A keeper who opens the lid on a cold day undoes a week of that work, so the lid stays on until the willows flower.",
  "What can be seen from outside is enough: the sound, the weight, and the crumbs of wax that fall on the board below.",
  "In the first warm week the bees fly out to clean themselves, and the snow in front of the hive turns yellow.",
]
const paragraphs = PROSE.map((text) => `<p>${text}</p>`).join("\n")

function page(body: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><title>Winter bees | Hive Notes</title>${head}</head><body>${body}</body></html>`
}

describe("main content", () => {
  it("keeps a post and drops everything around it", () => {
    const { markdown, title } = extractHtml(
      page(`<header><nav><a href="/">Home</a> <a href="/shop">Shop</a></nav></header>
        <div class="cookie-banner">We use cookies to make this site better for all of our many visitors.</div>
        <div class="layout"><div class="content"><h1>Winter bees</h1>${paragraphs}</div>
        <div class="sidebar"><h3>Archive</h3><ul><li><a href="/1">January</a></li><li><a href="/2">February</a></li></ul></div></div>
        <footer>Copyright Hive Notes</footer>`),
      URL,
    )
    expect(markdown).toBe(PROSE.join("\n\n"))
    expect(title).toBe("Winter bees")
  })

  it("drops a heading that repeats the title after a date, and keeps anchors in place", () => {
    const { markdown, anchors } = extractHtml(
      page(
        `<main><p id="when">On 5 March, from Ida</p><h1 id="bees">Winter bees</h1>${paragraphs}<h2 id="lid">The lid</h2>${paragraphs}</main>`,
      ),
      URL,
    )
    expect(markdown).not.toContain("# Winter bees")
    expect(markdown).toMatch(/^On 5 March, from Ida\n\nBees keep/)
    const lines = markdown.split("\n")
    expect(anchors?.map(([line, fragment]) => [fragment, lines[line]])).toContainEqual(["lid", "## The lid"])
    expect(anchors?.map(([, fragment]) => fragment)).not.toContain("bees")
  })

  it("keeps an aside that belongs to the text of a book", () => {
    const aside =
      "A smoker calms the bees, but in winter its smoke only lures them out of their warm cluster."
    const { markdown } = extractHtml(
      page(`<div class="section"><div class="para">${PROSE[0]}</div>
        <div class="sidebar"><div class="titlepage"><p class="title"><strong>TIP No smoke</strong></p></div><div class="para">${aside}</div></div>
        <div class="itemizedlist"><ul><li><div class="para">${PROSE[1]}</div></li></ul></div><div class="para">${PROSE[2]}</div>${paragraphs}${paragraphs}</div>
        <div class="sidebar"><p>Our shop sells hives, frames and gloves, and sends them to any place within three working days.</p></div>`),
      URL,
    )
    expect(markdown).toContain(`> **TIP No smoke**\n>\n> ${aside}`)
    expect(markdown).not.toContain("Our shop")
  })

  it("leaves out reader comments below a post", () => {
    const { markdown } = extractHtml(
      page(`<article><h1>Winter bees</h1>${paragraphs}</article>
        <section id="comments"><p>${"I once lost a whole hive this way, and I have never opened one in winter again. ".repeat(20)}</p></section>`),
      URL,
    )
    expect(markdown).not.toContain("lost a whole hive")
    expect(markdown).toContain("turns yellow")
  })

  it("keeps the same comments where they are the content", () => {
    const posts = PROSE.map(
      (text, i) => `<div class="comment" id="c${i}"><div class="username">bee${i}</div><p>${text}</p></div>`,
    )
    const { markdown } = extractHtml(
      page(`<main><h1>Cold hives</h1>${posts.join("")}</main>`),
      "https://forum.example.org/t/cold-hives/12",
    )
    for (const text of PROSE) expect(markdown).toContain(text)
  })

  it("ignores a class name that covers most of the page", () => {
    const { markdown } = extractHtml(
      page(PROSE.map((text) => `<div class="builder-widget"><p>${text}</p></div>`).join("")),
      URL,
    )
    for (const text of PROSE) expect(markdown).toContain(text)
  })

  it("keeps a documentation page and drops its side navigation", () => {
    const entries = Array.from(
      { length: 40 },
      (_, i) => `<li><a href="/docs/${i}">Chapter ${i}</a></li>`,
    ).join("")
    const { markdown } = extractHtml(
      page(`<div class="tree"><ul>${entries}</ul></div><main><h1>Hives</h1>${paragraphs}
        <pre><code class="language-sh">hive --open</code></pre>
        <aside class="admonition warning"><p>Never in winter.</p></aside></main>`),
      "https://example.org/docs/hives",
    )
    expect(markdown).not.toContain("Chapter 7")
    expect(markdown).toContain("```sh\nhive --open\n```")
    expect(markdown).toContain("Never in winter.")
  })

  it("keeps headings that are link targets", () => {
    const sections = Array.from(
      { length: 12 },
      (
        _,
        i,
      ) => `<div class="titlepage"><h2><a id="option-${i}" class="indexterm">Option number ${i} of the hive</a></h2></div>
        <p>${PROSE[i % 4]}</p>`,
    ).join("")
    const { markdown } = extractHtml(page(`<div class="book"><h1>Options</h1>${sections}</div>`), URL)
    expect(markdown.match(/^## Option number/gm)).toHaveLength(12)
  })

  it("keeps a section whose id matches its heading, even if that word is common in layouts", () => {
    const { markdown } = extractHtml(
      page(`<main><h1>Hive files</h1>${paragraphs}
        <section id="sharing-configuration-files"><h2>Sharing configuration files</h2><p>Two hives may share one file.</p></section>
        <h3>Email</h3><p>Where the keeper is written to when a hive gets cold.</p></main>`),
      URL,
    )
    expect(markdown).toContain("## Sharing configuration files\n\nTwo hives may share one file.")
    expect(markdown).toContain("### Email\n\nWhere the keeper")
  })

  it("leaves out the links to other languages", () => {
    const switchers = [
      `<div class="bar"><p><span>Available Languages: </span><a href="../en/x.html" hreflang="en">en</a> |
        <a href="../fr/x.html" hreflang="fr">fr</a> | <a href="x.html">de</a></p></div>`,
      `<ul class="versions"><li><a href="/de/">Deutsch</a></li><li><a href="/fr/">Français (fr)</a></li><li><a href="/ja/">日本語</a></li></ul>`,
      `<p>English, <a href="/de/" hreflang="de" lang="de">Deutsch</a>, <a href="/pt-br/" hreflang="pt-BR">Português (Brasil)</a></p>`,
    ]
    for (const switcher of switchers) {
      const { markdown } = extractHtml(page(`<div><h1>Winter bees</h1>${switcher}${paragraphs}</div>`), URL)
      expect(markdown).toBe(PROSE.join("\n\n"))
    }
  })

  it("keeps languages linked in the text, and a page that lists translations", () => {
    const sentence = `<p>Bees are told of in <a href="/de">German</a>, <a href="/fr">French</a> and <a href="/it">Italian</a>, by keepers who have never met and agree on everything that matters in winter.</p>`
    expect(extractHtml(page(`<div>${paragraphs}${sentence}</div>`), URL).markdown).toContain("[German]")
    const list = ["de", "fr", "it", "ja"].map(
      (code) => `<li><a href="/${code}" hreflang="${code}">${code} edition</a></li>`,
    )
    const { markdown } = extractHtml(page(`<main><h1>Translations</h1><ul>${list.join("")}</ul></main>`), URL)
    expect(markdown).toContain("ja edition")
  })

  it("keeps lazy images from noscript, but only once, and drops tracking pixels", () => {
    const { images, markdown } = extractHtml(
      page(`<div><h1>Winter bees</h1>${paragraphs}
        <figure><img class="lazy" src="data:image/gif;base64,R0lGOD"><noscript><img src="/hive.jpg" alt="A hive"></noscript></figure>
        <p><img data-src="/lid.jpg" alt="A lid"><noscript><img src="/lid.jpg" alt="A lid"></noscript></p>
        <noscript><img src="https://count.example/p?id=3" style="position:absolute;left:-9999px" alt=""></noscript>
        <noscript><img height="1" width="1" src="https://count.example/tr.png"></noscript></div>`),
      URL,
    )
    expect(images).toEqual([
      { url: "https://example.org/hive.jpg", description: "A hive" },
      { url: "https://example.org/lid.jpg", description: "A lid" },
    ])
    expect(markdown.match(/!\[/g)).toHaveLength(2)
  })

  it("drops boilerplate by its markup once the page marks its main content", () => {
    const footer = `<div class="footer"><p>${"Made with a tool for hives, under a licence that is told of at length here. ".repeat(12)}</p></div>`
    const { markdown } = extractHtml(page(`<div role="main"><h1>Hives</h1>${paragraphs}</div>${footer}`), URL)
    expect(markdown).toBe(`# Hives\n\n${PROSE.join("\n\n")}`)
  })

  it.each([
    [
      "Apache",
      `<title>Index of /files</title></head><body><h1>Index of /files</h1><table><tr><th><a href="?C=N;O=D">Name</a></th></tr>
      <tr><td><a href="/">Parent Directory</a></td></tr><tr><td><a href="hive.pdf">hive.pdf</a></td><td>2024-03-05 10:00</td></tr></table>`,
    ],
    [
      "nginx",
      `<title>Index of /files/</title></head><body><h1>Index of /files/</h1><hr><pre><a href="../">../</a>\n<a href="hive.pdf">hive.pdf</a>   05-Mar-2024 10:00   12345\n</pre><hr>`,
    ],
    [
      "Python",
      `<title>Directory listing for /</title></head><body><h1>Directory listing for /</h1><hr><ul><li><a href="hive.pdf">hive.pdf</a></li></ul><hr>`,
    ],
    [
      "IIS",
      `<title>bees.example - /files/</title></head><body><h1>bees.example - /files/</h1><hr><pre><A HREF="/">[To Parent Directory]</A><br> 3/5/2024 10:00 AM 12345 <A HREF="/files/hive.pdf">hive.pdf</A><br></pre><hr>`,
    ],
  ])("keeps only the links of a directory listing by %s", (_server, html) => {
    const { markdown, links, note } = extractHtml(
      `<html><head>${html}</body></html>`,
      "https://example.org/files/",
    )
    expect(markdown).toBe("")
    expect(note).toContain("list of files in a folder")
    expect(links.map(({ url }) => url)).toContain("https://example.org/files/hive.pdf")
  })

  it("keeps only the links of a directory listing with bare names", () => {
    const list = '<ul><li><a href="hive.pdf">hive.pdf</a></li><li><a href="wax.pdf">wax.pdf</a></li></ul>'
    const title = "Directory listing for /files/"
    const html = `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>${list}<hr></body></html>`
    expect(extractHtml(html, "https://example.org/files/").markdown).toBe("")
  })

  it("drops a heading with its list of links below, and keeps one with text", () => {
    const links =
      '<ul><li><a href="/a">Care of hives in winter</a></li><li><a href="/b">Care of hives in spring</a></li></ul>'
    const { markdown } = extractHtml(
      page(`<main><h1>Winter bees</h1>${paragraphs}${paragraphs}<h3>Topics</h3>${links}<h3>Wax</h3><p>It is white at first.</p>
        <h2>Parts</h2><h3>The lid</h3><p>It stays on.</p><h2>Elsewhere</h2>${links}</main>`),
      URL,
    )
    expect(markdown.match(/^#+ .*$/gm)).toEqual(["### Wax", "## Parts", "### The lid"])
  })

  it("keeps a text about such lists, and the owner's text above one", () => {
    const list = '<pre><a href="../">../</a>\n<a href="hive.pdf">hive.pdf</a></pre>'
    const text = `<h1>Index of /files</h1>${paragraphs}${list}`
    const own = extractHtml(`<title>Index of /files</title><body>${text}</body>`, URL)
    expect(own.markdown).toContain(PROSE[0])
    const about = `<h1>Index of / and what it gives away</h1>${paragraphs}`
    const article = extractHtml(`<title>Index of / and what it gives away</title><body>${about}</body>`, URL)
    expect(article.markdown).toContain(PROSE[3])
  })

  it("drops teasers under a heading that leads elsewhere", () => {
    const { markdown } = extractHtml(
      page(`<article><h1>Winter bees</h1>${paragraphs}<h2>You may also like</h2>
        <div><h3><a href="/a">Summer bees</a></h3><p>Short text on summer.</p></div></article>`),
      URL,
    )
    expect(markdown).not.toMatch(/also like|Summer bees/)
  })

  it("keeps the section headings of an article that sit in header elements", () => {
    const { markdown } = extractHtml(
      page(`<article><section><header><h2>In January</h2></header>${paragraphs}</section></article>`),
      URL,
    )
    expect(markdown).toContain("## In January")
  })

  it("includes late parts that a page streams in hidden boxes", () => {
    const { markdown } = extractHtml(
      page(`<div id="root"></div><div hidden id="S:0">${paragraphs}</div>`),
      URL,
    )
    expect(markdown).toBe(PROSE.join("\n\n"))
  })

  it("includes the text that a scripted page keeps in noscript", () => {
    const { markdown } = extractHtml(
      page(`<div id="app"></div><noscript><div>${paragraphs}</div></noscript>`),
      URL,
    )
    expect(markdown).toBe(PROSE.join("\n\n"))
  })

  it("falls back to structured data on a page built by scripts", () => {
    const data = JSON.stringify({
      "@type": "NewsArticle",
      headline: "Winter bees",
      articleBody: PROSE.join("\n"),
    })
    const { markdown } = extractHtml(
      page('<div id="app"></div>', `<script type="application/ld+json">${data}</script>`),
      URL,
    )
    expect(markdown).toBe(PROSE.join("\n\n"))
  })

  it("keeps a page that is nothing but a list of links", () => {
    const items = Array.from(
      { length: 30 },
      (_, i) => `<li><a href="/p/${i}">Product number ${i}</a></li>`,
    ).join("")
    const { markdown } = extractHtml(
      page(`<nav><a href="/">Home</a></nav><main><ul>${items}</ul></main>`),
      URL,
    )
    expect(markdown).toContain("[Product number 29](https://example.org/p/29)")
    expect(markdown).not.toContain("Home")
  })

  it("finds the images of the content only, each once", () => {
    const { images } = extractHtml(
      page(`<header><img src="/logo.png" alt="Logo"></header><article>${paragraphs}
        <figure><img src="/hive.jpg"><figcaption>The hive in snow</figcaption></figure><img src="/hive.jpg"></article>`),
      URL,
    )
    expect(images).toEqual([{ url: "https://example.org/hive.jpg", description: "The hive in snow" }])
  })

  it("ignores images declared small, as icons", () => {
    const { images } = extractHtml(
      page(`<article>${paragraphs}<img src="/icon.png" width="16" height="16">
        <img src="/face.png" style="width:32px; height: 32px"><img src="/wide.png" width="600" height="30">
        <img src="/full.png" width="100%" height="20"><img src="/plain.png"></article>`),
      URL,
    )
    expect(images.map(({ url }) => url)).toEqual([
      "https://example.org/wide.png",
      "https://example.org/full.png",
      "https://example.org/plain.png",
    ])
  })
})
