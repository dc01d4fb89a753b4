import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import type { Reading } from "../../reading.ts"
import { closeReaders, CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { type Answer, startTestSite, type TestSite, textFile } from "../../testing/test-site.ts"
import { PageReader } from "../visit/reader.ts"

const browserPath = await findTestBrowser()

afterAll(closeReaders)

const PROSE = `<p>${"Windmills grind grain with the force of the wind, and have done so for a thousand years. ".repeat(4)}</p>`
const page = (body: string, script: string, around = "") =>
  `<!doctype html><html lang="en"><title>Mills</title><body>${around}<main><h1>Mills</h1>${PROSE}${body}</main>
<script>const load = async (path) => (await fetch("/parts/" + path)).text()
${script}</script></body></html>`

/** Each button fetches the text for the panel that it opens. */
const FETCHES = `for (const button of document.querySelectorAll("main [aria-expanded]")) button.onclick = async () => {
  const panel = button.getAttribute("aria-controls") ? document.getElementById(button.getAttribute("aria-controls")) : button.parentElement.nextElementSibling
  panel.innerHTML = await load(button.dataset.part); button.setAttribute("aria-expanded", "true") }`

const PARTS: Record<string, Answer> = {
  "/parts/wind": textFile("<p>The wind turns four sails and a shaft of oak.</p>"),
  "/parts/cogs": textFile("<p>Worn cogs are cut from hornbeam.</p>"),
  "/parts/grease": textFile("<p>The great wheel is greased with tallow.</p>"),
}

describe("content that readers open on a page", { tags: ["chromium"] }, () => {
  let site: TestSite
  let reader: PageReader
  const config = testConfig({ FOSSICK_BROWSER_PATH: browserPath ?? "" })

  beforeAll(async () => {
    site = await startTestSite({ ...PARTS, "*": (_, response) => void response.writeHead(404).end() })
    reader = new PageReader(config, { rendering: "auto" })
  })
  afterAll(async () => {
    await reader[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  const read = async (html: string): Promise<Reading> => {
    site.serve({ "/page": html })
    const visit = await reader.visit(site.url("/page") as PageUrl)
    if (visit.kind !== "read") throw new Error(JSON.stringify(visit))
    return visit.reading
  }
  const expectParts = async (html: string) => {
    const { extracted } = await read(html)
    for (const part of ["oak", "hornbeam", "tallow"]) expect(extracted.markdown).toContain(part)
    return extracted.markdown
  }

  test("includes the panels of an accordion, each under its heading", async () => {
    const body = ["wind", "cogs", "grease"]
      .map(
        (part) =>
          `<h2><button aria-expanded="false" data-part="${part}">About ${part}</button></h2><div></div>`,
      )
      .join("")
    const markdown = await expectParts(page(body, FETCHES))
    expect(markdown.indexOf("oak")).toBeLessThan(markdown.indexOf("hornbeam"))
  })

  test("includes tabs that share one panel, with the text of the tab that was open", async () => {
    const body = `<div role="tablist"><button role="tab" aria-selected="true" aria-controls="p">Wind</button>
      <button role="tab" aria-selected="false" aria-controls="p" data-part="cogs">Cogs</button>
      <button role="tab" aria-selected="false" aria-controls="p" data-part="grease">Grease</button></div>
      <div role="tabpanel" id="p"><p>The wind turns four sails and a shaft of oak.</p></div>`
    const script = `for (const tab of document.querySelectorAll("[data-part]")) tab.onclick = async () => {
      for (const one of document.querySelectorAll("[role=tab]")) one.setAttribute("aria-selected", one === tab)
      document.getElementById("p").innerHTML = await load(tab.dataset.part) }`
    const markdown = await expectParts(page(body, script))
    expect(markdown).toMatch(/### Cogs\s+Worn cogs/)
  })

  test("includes details, expanders, and a panel created when it is opened", async () => {
    const body = `<details data-part="wind"><summary>Wind</summary></details>
      <div role="button" tabindex="0" aria-expanded="false" aria-controls="more" data-part="cogs">Plus</div><div id="more"></div>
      <button aria-expanded="false" aria-controls="made" id="make">Mehr</button>`
    const script = `${FETCHES}
      const details = document.querySelector("details")
      details.addEventListener("toggle", async () => details.insertAdjacentHTML("beforeend", await load("wind")))
      document.getElementById("make").onclick = async ({ target }) =>
        target.insertAdjacentHTML("afterend", "<div id=made>" + await load("grease") + "</div>")`
    expect(await expectParts(page(body, script))).toContain("force of the wind")
  })

  test("includes tabs that are links, an accordion that empties closed panels, and a list of terms", async () => {
    const body = `<ul role="tablist"><li><a role="tab" href="#t1" aria-controls="t1" aria-selected="true">Eins</a></li>
        <li><a role="tab" href="#t2" aria-controls="t2" aria-selected="false">Zwei</a></li></ul>
      <div id="t1" role="tabpanel"><p>First.</p></div><div id="t2" role="tabpanel" hidden></div>
      <h3><button class="one" aria-expanded="false" data-part="wind">Vent</button></h3><div></div>
      <h3><button class="one" aria-expanded="false" data-part="cogs">Dents</button></h3><div></div>
      <dl><dt><span role="button" tabindex="0" aria-expanded="false" aria-controls="x">油脂</span></dt><dd id="x"></dd></dl>`
    const script = `document.querySelector("[href='#t2']").onclick = async (event) => {
        event.preventDefault(); const panel = document.getElementById("t2"); panel.hidden = false; panel.innerHTML = await load("grease") }
      for (const button of document.querySelectorAll(".one")) button.onclick = async () => {
        for (const other of document.querySelectorAll(".one")) {
          other.setAttribute("aria-expanded", other === button); other.parentElement.nextElementSibling.innerHTML = "" }
        button.parentElement.nextElementSibling.innerHTML = await load(button.dataset.part) }
      document.querySelector("dt span").onclick = async () => { document.getElementById("x").innerHTML = await load("grease") }`
    expect(await expectParts(page(body, script))).toContain("First.")
  })

  test("excludes links, forms, menus and buttons with effects, and nothing is sent", async () => {
    const asked: string[] = []
    site.serve({
      "/done/*": (request, response) => {
        asked.push(`${request.method} ${request.url}`)
        response.end("gone")
      },
    })
    const does = (what: string) => `onclick="fetch('/done/${what}', { method: 'POST' })"`
    const body = `<h2><button aria-expanded="false" data-part="wind">Wind</button></h2><div></div>
      <a href="/done/link" aria-expanded="false" ${does("link")}>Link</a>
      <a href="#/done/route" aria-expanded="false" ${does("route")}>Route</a>
      <form action="/done/form"><button aria-expanded="false" ${does("submit")}>Send</button></form>
      <button ${does("plain")}>Delete</button> <button aria-haspopup="menu" aria-expanded="false" ${does("menu")}>Menu</button>
      <h2><button aria-expanded="false" ${does("post")}>Erase</button></h2><div></div>
      <h2><button aria-expanded="false" onclick="location.href = '/done/away'">Leave</button></h2><div></div>`
    const { extracted, url } = await read(
      page(body, FETCHES.replace("button.onclick", "if (button.dataset.part) button.onclick")),
    )
    expect(extracted.markdown).toContain("oak")
    expect(url).toBe(site.url("/page"))
    expect(asked).toEqual([])
  })

  test("keeps the page as it was when a script replaces it with another one", async () => {
    const body = `<h2><button aria-expanded="false" id="b">Next</button></h2><div></div>`
    const script = `document.getElementById("b").onclick = () => {
      history.pushState(null, "", "/other"); document.querySelector("main").innerHTML = "<h1>Other</h1><p>Another page of the site, with a text of its own.</p>" }`
    const { extracted } = await read(page(body, script))
    expect(extracted.markdown).toContain("force of the wind")
    expect(extracted.markdown).not.toContain("Another page")
  })
})

describe("a tree whose branches load when they are opened", { tags: ["chromium"] }, () => {
  const link = (name: string, more = "") => `<a href="/${name}"${more}>${name}</a>`
  const grown: Record<string, string> = {
    // Buttons that link nowhere, an expander beside an item that is a link, and an item around its link.
    "/grow/root": `<ul><li><a href="#" role="button" aria-expanded="false" onclick="grow(this, 'sails')">+</a> ${link("sails")}</li></ul>
      <ul role="tree"><li><i onclick="grow(this.nextElementSibling, 'stones')"></i>${link("stones", ' role="treeitem" aria-expanded="false"')}</li></ul>`,
    "/grow/sails": `<ul><li role="treeitem" aria-expanded="false" onclick="event.target === this && grow(this.firstChild, 'sailcloth')">${link("sailcloth")}</li></ul>`,
    "/grow/sailcloth": `<ul><li><a href="" aria-expanded="false" onclick="return grow(this, 'loom')">+</a> ${link("weaving")}</li></ul>`,
    "/grow/loom": `<ul><li>${link("flax")}</li></ul>`,
    "/grow/stones": `<ul><li>${link("granite")}</li></ul>`,
  }
  const TREE_SCRIPT = `const grow = (at, name) => { fetch("/grow/" + name).then((answer) => answer.text()).then((list) => {
    at.parentElement.insertAdjacentHTML("beforeend", list); at.setAttribute("aria-expanded", "true") }); return false }`
  const startTree = async () => {
    const of = (name: string) =>
      page(
        `<p>On this page you read about ${name}, and about nothing else in the mill.</p>`,
        `${TREE_SCRIPT}
        fetch("/grow/root").then((answer) => answer.text()).then((list) => { document.querySelector(".pagetree").innerHTML = list })`,
        `<div class="pagetree"></div>`,
      )
    const pages = ["sails", "stones", "granite", "sailcloth", "weaving", "flax"].map(
      (name) => [`/${name}`, of(name)] as const,
    )
    const site = await startTestSite({ ...Object.fromEntries(pages), "/": of("the mill") })
    site.serve(Object.fromEntries(Object.entries(grown).map(([path, list]) => [path, textFile(list)])))
    return site
  }

  test("leads to its pages, and each branch is fetched once per run", async () => {
    await using site = await startTree()
    await using story = await CrawlFixture.open()
    const config = testConfig({ FOSSICK_BROWSER_PATH: browserPath ?? "" })
    await story.crawl({ name: "mills", seeds: [site.url("/")] }, { config })
    expect([...story.engine.pages.keys()].map((url) => new URL(url).pathname).sort()).toEqual([
      "/",
      "/flax",
      "/granite",
      "/sailcloth",
      "/sails",
      "/stones",
      "/weaving",
    ])
    expect(site.requests.filter((path) => path === "/grow/sailcloth")).toHaveLength(1)
  })
})
