import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Koa from "koa"
import { request } from "undici"
import { afterEach, describe, expect, test } from "vitest"
import { handbook, type HandbookOptions } from "./handbook.ts"

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

describe("the handbook as web pages", () => {
  test("the address of the appliance leads to its front page", async () => {
    const { get } = await serve({ "README.md": "# Handbook\n\nHow to use it." })
    const home = await get("/")
    expect([home.status, home.headers.get("location")]).toEqual([302, "docs/"])
    expect((await get("/docs")).headers.get("location")).toBe("docs/")
    const front = await get("/docs/")
    expect(front.status).toBe(200)
    expect(front.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(await front.text()).toContain("<h1>Handbook</h1>")
  })

  test("a page says what it is: language, title, description, canonical address, one h1", async () => {
    const { get } = await serve(
      {
        "README.md": "# Handbook",
        "crawl.md": '# Crawl "a" site\n\nGive `crawl` an\naddress & wait.\n\nMore.',
      },
      { publicUrl: "https://search.example.com/" },
    )
    const html = await (await get("/docs/crawl?from=mail")).text()
    expect(html).toContain('<html lang="en">')
    expect(html).toContain("<title>Crawl &quot;a&quot; site · Fossick handbook</title>")
    expect(html).toContain('<meta name="description" content="Give crawl an address &amp; wait.">')
    expect(html).toContain('<link rel="canonical" href="https://search.example.com/docs/crawl">')
    expect(html.match(/<h1/g)).toHaveLength(1)
  })

  test("without a public address, a page's canonical address is the requested one", async () => {
    const { get } = await serve({ "README.md": "# Handbook", "crawl.md": "# Crawl" })
    expect(await (await get("/docs/crawl")).text()).toContain('<link rel="canonical" href="./crawl">')
  })

  test("navigation follows the table of contents and marks the page that is open", async () => {
    const { get } = await serve({
      "README.md":
        "# Handbook\n\n## Start\n\n- [First](one.md): begin\n- [Second](two.md)\n\n## Run\n\n- [Third](three.md)",
      "one.md": "# One",
      "two.md": "# Two",
      "three.md": "# Three",
    })
    const html = await (await get("/docs/two")).text()
    expect(html).toMatch(/<h2>Start<\/h2>[\s\S]*>First<[\s\S]*>Second<[\s\S]*<h2>Run<\/h2>[\s\S]*>Third</)
    expect(html.match(/aria-current="page"/g)).toHaveLength(1)
    expect(html).toContain('<a href="two" aria-current="page">Second</a>')
    expect(html).toContain('<a rel="prev" href="one"><small>Previous</small> First</a>')
    expect(html).toContain('<a rel="next" href="three"><small>Next</small> Third</a>')
    expect(html).toContain('<a class="skip" href="#content">')
  })

  test("links between Markdown files lead to web pages, links out of the handbook are text", async () => {
    const { get } = await serve({
      "README.md":
        "# Handbook\n\n[a](one.md#my-heading) [b](../engine/README.md) [c](https://example.com/?a=1&b=2) [d](javascript:alert(1))",
      "one.md": "# One\n\n[home](README.md)\n\n## My heading\n\n## My heading\n\n## Why `x` & y?",
    })
    const front = await (await get("/docs/")).text()
    expect(front).toContain(
      '<p><a href="one#my-heading">a</a> b <a href="https://example.com/?a=1&amp;b=2">c</a> d</p>',
    )
    const one = await (await get("/docs/one")).text()
    expect(one).toContain('<a href="./">home</a>')
    expect([...one.matchAll(/<h2 id="([^"]*)"/g)].map((heading) => heading[1])).toEqual([
      "my-heading",
      "my-heading-1",
      "why-x--y",
    ])
  })

  test("nothing in the Markdown can become markup of its own", async () => {
    const { get } = await serve({
      "README.md":
        '# A <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n```html"><b>\n<script>alert(2)</script>\n```\n\n| a |\n|---|\n| <b>x</b> |',
    })
    const html = await (await get("/docs/")).text()
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<img|<b>/)
    expect(html).toContain("&lt;script&gt;alert(2)&lt;/script&gt;")
  })

  test("a page shows drawings from the handbook, and replaces other pictures with their descriptions", async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
    const { get } = await serve({
      "README.md": '# Handbook\n\n![a "map"](map.svg) ![far](https://example.com/far.svg) ![up](../up.svg)',
      "map.svg": drawing,
    })
    const html = await (await get("/docs/")).text()
    expect(html.match(/<img [^>]*>/g)).toEqual(['<img src="map.svg" alt="a &quot;map&quot;">'])
    expect(html).toContain("far up")
    const served = await get("/docs/map.svg")
    expect([served.headers.get("content-type"), await served.text()]).toEqual(["image/svg+xml", drawing])
    expect(served.headers.get("content-security-policy")).toMatch(/^default-src 'none'/)
    expect((await get("/docs/other.svg")).status).toBe(404)
  })

  test("an unknown page returns a 404 in HTML that shows the requested path escaped", async () => {
    const { get } = await serve({ "README.md": "# Handbook\n\n## S\n\n- [One](one.md)", "one.md": "# One" })
    const missing = await get("/docs/no/such<b>page")
    const html = await missing.text()
    expect(missing.status).toBe(404)
    expect(missing.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(html).toContain('<meta name="robots" content="noindex">')
    expect(html).not.toContain("<b>page")
    expect(html).toContain('href="../one"')
    expect((await get("/docs/..%2f..%2fpackage.json")).status).toBe(404)
  })

  test.each([
    ["/docs/one.md", "./one"],
    ["/docs/one/", "../one"],
    ["/docs/README.md", "./"],
    ["/docs/index.html", "./"],
  ])("%s redirects to the page's one address", async (path, to) => {
    const { get } = await serve({ "README.md": "# Handbook", "one.md": "# One" })
    const moved = await get(path)
    expect([moved.status, moved.headers.get("location")]).toEqual([301, to])
  })

  test("a browser that already has the page gets 304", async () => {
    const { base, get } = await serve({ "README.md": "# Handbook" })
    const first = await get("/docs/")
    const etag = first.headers.get("etag")!
    const modified = first.headers.get("last-modified")!
    // Doesn't use fetch(), because that adds "Cache-Control: no-cache" to a conditional request, as a browser's reload
    // button does.
    const ask = async (headers: Record<string, string>) =>
      (await request(`${base}/docs/`, { headers: { "accept-encoding": "gzip, deflate", ...headers } }))
        .statusCode
    expect(await ask({ "if-none-match": etag })).toBe(304)
    expect(await ask({ "if-modified-since": modified })).toBe(304)
    expect(await ask({ "if-none-match": '"another"' })).toBe(200)
  })

  test("a page lists its sections, and one without sections has no list", async () => {
    const { get } = await serve({
      "README.md": "# Handbook\n\n## Start",
      "one.md": "# One\n\n## Get `it`\n\n### From & to\n\n## Use it",
    })
    const html = await (await get("/docs/one")).text()
    expect(
      [...html.matchAll(/<li class="depth-(\d)"><a href="(#[^"]*)">([^<]*)</g)].map((all) => all.slice(1)),
    ).toEqual([
      ["2", "#get-it", "Get it"],
      ["3", "#from--to", "From &amp; to"],
      ["2", "#use-it", "Use it"],
    ])
    expect(await (await get("/docs/")).text()).not.toContain("On this page")
  })

  test("a page with very many sections lists only the upper levels", async () => {
    const parts = Array.from({ length: 30 }, (_, n) => `## Part ${n}\n\n### Detail ${n}`)
    const { get } = await serve({ "README.md": `# Handbook\n\n${parts.join("\n\n")}` })
    const html = await (await get("/docs/")).text()
    expect(html.match(/<li class="depth-2"/g)).toHaveLength(30)
    expect(html).not.toContain("depth-3")
  })

  test("every answer has a policy that forbids all foreign content", async () => {
    const { get } = await serve({ "README.md": "# Handbook" })
    for (const path of [
      "/docs/",
      "/docs/missing",
      "/docs/handbook.css",
      "/docs/handbook.js",
      "/docs/icon.svg",
    ]) {
      const headers = (await get(path)).headers
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self';/,
      )
      expect(headers.get("x-content-type-options")).toBe("nosniff")
    }
  })

  test("crawlers find every page by robots.txt and the site map", async () => {
    const { get, base } = await serve({ "README.md": "# Handbook", "one.md": "# One" })
    expect(await (await get("/robots.txt")).text()).toContain(`Sitemap: ${base}/docs/sitemap.xml`)
    const map = await get("/docs/sitemap.xml")
    expect(map.headers.get("content-type")).toMatch(/xml/)
    const places = [...(await map.text()).matchAll(/<loc>([^<]*)</g)].map((place) => place[1])
    expect(places).toEqual([`${base}/docs/`, `${base}/docs/one`])
  })

  test("rejects other methods, and leaves other paths alone", async () => {
    const { base, get } = await serve({ "README.md": "# Handbook" })
    const post = await fetch(`${base}/docs/`, { method: "POST" })
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    const head = await fetch(`${base}/docs/`, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
    expect((await get("/docsy")).status).toBe(418)
    expect((await get("/search")).status).toBe(418)
  })

  test("a failed read of the handbook is retried", async () => {
    const dir = await mkdtemp(join(tmpdir(), "fossick-handbook-"))
    await rm(dir, { recursive: true })
    const { get } = await serveFolder(dir)
    expect((await get("/docs/")).status).toBe(500)
    await mkdir(dir)
    open.push(() => rm(dir, { recursive: true }))
    await writeFile(join(dir, "README.md"), "# Handbook")
    expect((await get("/docs/")).status).toBe(200)
  })
})

describe("the real handbook", () => {
  const docsDir = join(import.meta.dirname, "../../../docs")

  test("serves every file, and every link and fragment on every page leads somewhere", async () => {
    const { base, get } = await serveFolder(docsDir)
    const files = (await readdir(docsDir)).filter((file) => file.endsWith(".md"))
    const pages = new Map<string, string>()
    for (const file of files) {
      const path = `/docs/${file === "README.md" ? "" : file.replace(/\.md$/, "")}`
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 200])
      pages.set(`${base}${path}`, await response.text())
    }
    const dead: string[] = []
    for (const [address, html] of pages) {
      for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        const to = new URL(href.replaceAll("&amp;", "&"), address)
        const id = decodeURIComponent(to.hash.slice(1))
        to.hash = ""
        const target = pages.get(to.href)
        const foreign = to.origin !== base
        if (!foreign && (target === undefined || (id !== "" && !target.includes(`id="${id}"`))))
          dead.push(href)
      }
    }
    expect(dead).toEqual([])
  })

  test("has a title and a useful description on every page, all different", async () => {
    const { get } = await serveFolder(docsDir)
    const names = (await readdir(docsDir)).filter((file) => file.endsWith(".md") && file !== "README.md")
    const heads = await Promise.all(
      names.map(async (file) => {
        const html = await (await get(`/docs/${file.replace(/\.md$/, "")}`)).text()
        return {
          title: /<title>(.*)<\/title>/.exec(html)?.[1] ?? "",
          description: /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? "",
        }
      }),
    )
    expect(new Set(heads.map((head) => head.title)).size).toBe(names.length)
    expect(heads.filter((head) => head.description.length < 50)).toEqual([])
  })
})

async function serve(files: Record<string, string>, options: Omit<HandbookOptions, "docsDir"> = {}) {
  const dir = await mkdtemp(join(tmpdir(), "fossick-handbook-"))
  open.push(() => rm(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  return serveFolder(dir, options)
}

async function serveFolder(docsDir: string, options: Omit<HandbookOptions, "docsDir"> = {}) {
  const app = new Koa()
  app.silent = true
  app.use(handbook({ docsDir, ...options }))
  app.use((ctx) => {
    ctx.status = 418
  })
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  open.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const get = (path: string) => fetch(base + path, { redirect: "manual" })
  return { base, get }
}
