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
  it("reads a post and leaves out what is around it", () => {
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

  it("does not believe a class word that covers most of the page", () => {
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

  it("reads late parts that a page streams in hidden boxes", () => {
    const { markdown } = extractHtml(
      page(`<div id="root"></div><div hidden id="S:0">${paragraphs}</div>`),
      URL,
    )
    expect(markdown).toBe(PROSE.join("\n\n"))
  })

  it("reads the text a scripted page keeps in noscript", () => {
    const { markdown } = extractHtml(
      page(`<div id="app"></div><noscript><div>${paragraphs}</div></noscript>`),
      URL,
    )
    expect(markdown).toBe(PROSE.join("\n\n"))
  })

  it("falls back to the structured data of a page built by script", () => {
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

  it("takes an image that is declared small for an icon", () => {
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
