import { describe, expect, it } from "vitest"
import { extractHtml } from "../extract.ts"

const TEXT = `<p>${"A hive is opened on a warm day, when the willows flower and the bees fly. ".repeat(6)}</p>`

function titleOf(head: string, body: string, path = "/docs/install"): string {
  return read(head, body, path).title
}

function read(head: string, body: string, path = "/docs/install") {
  return extractHtml(
    `<html><head>${head}</head><body>${body}</body></html>`,
    `https://docs.example.org${path}`,
  )
}

describe("a logo marked up as a heading", () => {
  it("is not the title when it links to the site's start page", () => {
    const body = `<header><h1><a href="/">Hive Docs</a></h1></header><main><h1>Install</h1>${TEXT}</main>`
    expect(titleOf("<title>Install – Hive Docs</title>", body)).toBe("Install")
    expect(titleOf("<title>Hive Docs</title>", body)).toBe("Install")
    expect(read("<title>Hive Docs</title>", body).markdown).not.toContain("Hive Docs")
  })

  it("is not the title when its class marks it as a logo, or it is the site's name", () => {
    const body = (logo: string) =>
      `<div id="top">${logo}</div><div id="content"><h1>Install</h1>${TEXT}</div>`
    const title = "<title>Install | Hive Docs</title>"
    expect(titleOf(title, body('<div class="site-branding"><h1>Hive Docs</h1></div>'))).toBe("Install")
    expect(titleOf(title, body('<h1 class="navbar-brand">Hive</h1>'))).toBe("Install")
    expect(
      titleOf(`${title}<meta property="og:site_name" content="Hive Docs">`, body("<h1>Hive Docs</h1>")),
    ).toBe("Install")
  })

  it("is not the title when it is in the page header and the title tag ends with it", () => {
    const body = `<header><h1>Hive Docs</h1></header><div><h2>Install</h2>${TEXT}</div>`
    expect(titleOf("<title>Install · Hive Docs</title>", body)).toBe("Install")
  })

  it("is not the title when a base element makes all addresses relative to the start page", () => {
    const body = `<header><a href="/"><h1>Hive Docs</h1></a></header><main><h1>Install</h1>${TEXT}</main>`
    expect(titleOf('<base href="/"><title>Hive Docs</title>', body)).toBe("Install")
  })

  it("is not the title in a sidebar that marks it as the application's name, wherever it links", () => {
    const bar = '<aside><h1 class="app-name"><a href="/docs/install">Hive Docs</a></h1></aside>'
    expect(titleOf("<title>Hive Docs</title>", `${bar}<article><h1>Install</h1>${TEXT}</article>`)).toBe(
      "Install",
    )
  })

  it("is the title of the start page, and of a page that has no other", () => {
    const logo = '<header><h1><a href="/">Hive Docs</a></h1></header>'
    expect(titleOf("<title>Hive Docs</title>", `${logo}<main>${TEXT}</main>`, "/")).toBe("Hive Docs")
    expect(titleOf("", `${logo}<main>${TEXT}</main>`)).toBe("Hive Docs")
  })

  it("is not confused with a page's own heading, in a header or after the site's name", () => {
    const header = `<article><header class="entry-header"><h1>Install</h1></header>${TEXT}</article>`
    expect(titleOf("<title>Hive Docs: how to install</title>", header)).toBe("Install")
    expect(titleOf("<title>Hive Docs – Install</title>", `<main><h1>Install</h1>${TEXT}</main>`)).toBe(
      "Install",
    )
    const masthead = `<div class="masthead"><h1>Install</h1></div>${TEXT}`
    expect(titleOf("<title>Install | Hive</title>", masthead)).toBe("Install")
    const linked = `<main><h1><a href="/docs/install">Install</a></h1>${TEXT}</main>`
    expect(titleOf("<title>Install | Hive</title>", linked)).toBe("Install")
  })
})

describe("a heading's permalink mark", () => {
  const title = (mark: string) =>
    titleOf("<title>Usage — Hive Docs</title>", `<main><h1>Usage${mark}</h1>${TEXT}</main>`)

  it.each([
    ['<a class="headerlink" href="#usage" title="Permalink to this heading">¶</a>'],
    ['<a class="headerlink" href="#usage" title="Permanent link">&para;</a>'],
    ['<a class="headerlink" href="#usage" title="Link to this heading">#</a>'],
    [
      '<a href="#usage" class="hash-link" aria-label="Direct link to Usage" title="Direct link to Usage">\u200B</a>',
    ],
    ['<a class="anchor" aria-hidden="true" href="#usage">Anchor</a>'],
    ['<a href="#usage" aria-label="Permalink to Usage">Permalink to “Usage”</a>'],
    ['<a class="sl-anchor-link" href="#usage"><span class="sr-only">Section titled “Usage”</span></a>'],
    ['<a class="heading-link" href="#usage"><i class="material-icons">link</i></a>'],
    ["<a class='permalink' href='/docs/install#usage'>🔗</a>"],
    [" ¶"],
  ])("is not part of the title: %s", (mark) => {
    expect(title(mark)).toBe("Usage")
  })

  it("is not confused with symbols that belong to the name", () => {
    expect(titleOf("<title>C# | Hive</title>", `<h1>C#</h1>${TEXT}`)).toBe("C#")
    expect(titleOf("<title>About F# and C#</title>", TEXT)).toBe("About F# and C#")
  })

  it("is not confused with a heading that is itself the link", () => {
    const body = `<main><h1><a class="anchor" href="#usage">Usage</a></h1>${TEXT}</main>`
    expect(titleOf("<title>Usage — Hive Docs</title>", body)).toBe("Usage")
  })
})

describe("a title tag", () => {
  it("gives way to a heading with its first part and one more word", () => {
    const body = `<main><h1>Module mod_hive</h1>${TEXT}</main>`
    expect(titleOf("<title>mod_hive - Bee Server Version 2.4</title>", body)).toBe("Module mod_hive")
  })

  it("gives way to the heading when it is a filename with the wiki in brackets", () => {
    const body = (heading: string) =>
      `<h1 class="logo"><a href="/doku.php?id=start"><span>Team wiki</span></a></h1><main><h1>${heading}</h1>${TEXT}</main>`
    const title = (name: string) => `<title>${name} [Team wiki]</title>`
    expect(titleOf(title("bees:start"), body("About bees"), "/doku.php?id=bees:start")).toBe("About bees")
    expect(titleOf(title("bees:arg"), body("arg"), "/doku.php?id=bees:arg")).toBe("arg")
    expect(titleOf(title("start"), body("Team wiki"), "/doku.php")).toBe("Team wiki")
    expect(titleOf("<title>Install [Hive]</title>", `<main><h1>How to begin</h1>${TEXT}</main>`)).toBe(
      "Install [Hive]",
    )
  })

  it("omits the Confluence space that the breadcrumbs start with", () => {
    const page = (crumb: string) =>
      `<div id="main-header"><div id="breadcrumb-section"><ol id="breadcrumbs"><li><span><a href="index.html">${crumb}</a></span></li></ol></div>
       <h1 id="title-heading"><span id="title-text"> Bee Yard : Smokers </span></h1></div><div id="content">${TEXT}</div>`
    const title = "<title>Bee Yard : Smokers</title>"
    expect(titleOf(title, page("Bee Yard"), "/Smokers_65540.html")).toBe("Smokers")
    expect(titleOf(title, page("Garden"), "/Smokers_65540.html")).toBe("Bee Yard : Smokers")
  })
})
