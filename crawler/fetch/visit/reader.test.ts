import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import iconv from "iconv-lite"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { freePort } from "#base/testing/free-port.ts"
import type { PageUrl } from "#engine"
import { retryAfterMs } from "../retry-after.ts"
import { createReader, PageReader } from "./reader.ts"
import type { Reader, ReadResult } from "../../reading.ts"
import { testConfig } from "../../testing/crawl-fixture.ts"
import { FakeInternet } from "../../testing/fake-internet.ts"
import {
  article,
  breaksOff,
  bytes,
  endless,
  type Answer,
  hangs,
  html,
  redirect,
  startTestSite,
  unended,
  status,
  type TestSite,
  textFile,
} from "../../testing/test-site.ts"

const MAX_BYTES = 200_000
const compressed = (encoding: string, body: Uint8Array) =>
  bytes(body, { "content-type": "text/html", "content-encoding": encoding })
const page = article("Lighthouses")
const bomb = Buffer.alloc(5_000_000, "<p>all the same</p>")

let site: TestSite
let reader: Reader
const read = (path: string): Promise<ReadResult> => reader.read(site.url(path))

beforeAll(async () => {
  site = await startTestSite({ "/": page })
  reader = createReader(testConfig({ FOSSICK_MAX_PAGE_BYTES: String(MAX_BYTES), FOSSICK_MAX_REDIRECTS: "3" }))
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

describe("a read restricted to certain addresses", () => {
  test("requests only those, wherever redirects lead, and does not reveal the target", async () => {
    site.serve({
      "/inside/": article("Inside"),
      "/inside/hop": redirect("/inside/second"),
      "/inside/second": redirect("/outside"),
      "/inside/round": redirect("/inside/"),
      "/outside": article("Outside"),
    })
    const admits = (url: string) => new URL(url).pathname.startsWith("/inside/")
    for (const path of ["/outside", "/inside/hop"]) {
      const result = await reader.read(site.url(path), { admits })
      expect(result).toEqual({ kind: "skipped", because: "out-of-scope", detail: expect.any(String) })
      expect(JSON.stringify(result)).not.toContain("/outside")
    }
    expect(site.requests).not.toContain("/outside")
    expect(await reader.read(site.url("/inside/round"), { admits })).toMatchObject({ kind: "read" })
  })
})

describe("a normal page", () => {
  test("is read with its text, title and links", async () => {
    site.serve({ "/well": article("Harbours", { links: ["/", "/x?b=1#part"] }) })
    const result = await read("/well")
    expect(result).toMatchObject({
      kind: "read",
      reading: {
        url: site.url("/well"),
        status: 200,
        contentType: "text/html",
        extracted: { title: "Harbours", language: "en" },
      },
    })
    const links = result.kind === "read" ? result.reading.extracted.links.map(({ url }) => url) : []
    expect(links).toEqual([site.url("/"), site.url("/x?b=1")])
  })

  test("can be plain text", async () => {
    site.serve({
      "/notes.txt": textFile("Notes on tides\n\nThe tide comes in twice a day, and goes out as often."),
    })
    const result = await read("/notes.txt")
    expect(result.kind === "read" && result.reading.extracted.markdown).toContain("twice a day")
  })

  test("is markdown when its content type says so", async () => {
    site.serve({ "/tides": bytes("*ebb* and _flow_", { "content-type": "text/markdown; charset=utf-8" }) })
    expect(await read("/tides")).toMatchObject({ reading: { extracted: { markdown: "*ebb* and _flow_" } } })
  })

  test.each([
    ["gzip", gzipSync(page)],
    ["br", brotliCompressSync(page)],
    ["zstd", zstdCompressSync(page)],
    ["deflate", deflateSync(page)],
    ["deflate", deflateRawSync(page)],
    ["gzip, br", brotliCompressSync(gzipSync(page))],
    ["identity", Buffer.from(page)],
  ])("can be sent with content-encoding %s", async (encoding, body) => {
    site.serve({ "/compressed": compressed(encoding, body) })
    expect(await read("/compressed")).toMatchObject({
      kind: "read",
      reading: { extracted: { title: "Lighthouses" } },
    })
  })

  test("is requested with the crawler's name and the accepted types", async () => {
    let headers: unknown
    site.serve({
      "/who": (request, response) => {
        headers = request.headers
        response.end()
      },
    })
    await read("/who")
    expect(headers).toMatchObject({
      "user-agent": "FossickBot/1.0",
      "accept-encoding": "gzip, deflate, br, zstd",
    })
  })
})

describe("charsets", () => {
  const said = "Čekání na příliv a žluťoučký kůň u přístavu"
  const head = (charset: string) => `<meta charset="${charset}">`
  const russian = "Маяк стоит на высоком берегу моря и светит кораблям"

  test.each([
    ["the header's", iconv.encode(article(said), "windows-1250"), "text/html; charset=windows-1250", said],
    [
      "the header's, in quotes",
      iconv.encode(article(russian), "koi8-r"),
      'text/html; charset="KOI8-R"',
      russian,
    ],
    [
      "the meta tag's",
      iconv.encode(article(said, { head: head("iso-8859-2") }), "iso-8859-2"),
      "text/html",
      said,
    ],
    [
      "a byte order mark's",
      iconv.encode(article(said), "utf-16le", { addBOM: true }),
      "text/html; charset=utf-8",
      said,
    ],
    ["UTF-8 though Latin-1 was said", Buffer.from(article(said)), "text/html; charset=iso-8859-1", said],
    [
      "the meta tag's though UTF-8 was said",
      iconv.encode(article(russian, { head: head("windows-1251") }), "windows-1251"),
      "text/html; charset=utf-8",
      russian,
    ],
    [
      "windows-1252 when nothing is said",
      iconv.encode(article("Café “Größe”"), "windows-1252"),
      "text/html",
      "Café “Größe”",
    ],
    [
      "windows-1252 when nonsense is said",
      iconv.encode(article("Café"), "latin1"),
      "text/html; charset=klingon",
      "Café",
    ],
    [
      "Shift_JIS",
      iconv.encode(article("灯台は海の近くに立つ"), "shift_jis"),
      "text/html; charset=Shift_JIS",
      "灯台は海の近くに立つ",
    ],
    [
      "a meta tag's behind long scripts",
      iconv.encode(
        `<script>${"var a; ".repeat(300)}</script>${article("機関車の整備", { head: head("shift_jis") })}`,
        "shift_jis",
      ),
      "text/html",
      "機関車の整備",
    ],
    [
      "UTF-16 without a byte order mark",
      iconv.encode(article("Plain lighthouse"), "utf-16le"),
      "text/html; charset=utf-16",
      "Plain lighthouse",
    ],
    [
      "UTF-8 that was encoded twice",
      Buffer.from(article("Itâ€™s quiet here")),
      "text/html",
      "It’s quiet here",
    ],
    ["GB 2312", iconv.encode(article("灯塔在海边"), "gb18030"), "text/html; charset=gb2312", "灯塔在海边"],
  ])("%s is decoded", async (_, body, type, title) => {
    site.serve({ "/charset": bytes(body, { "content-type": type }) })
    expect(await read("/charset")).toMatchObject({ kind: "read", reading: { extracted: { title } } })
  })
})

describe("redirects", () => {
  test("are followed, and the page has its final address", async () => {
    site.serve({ "/old": redirect("/older", 301), "/older": redirect("./new?x=1#there", 308), "/new": page })
    expect(await read("/old")).toMatchObject({ kind: "read", reading: { url: site.url("/new?x=1") } })
  })

  test.each([
    ["in a circle", { "/loop": redirect("/loop2"), "/loop2": redirect("/loop") }, "redirect-loop"],
    ["to itself", { "/loop": redirect("/loop") }, "redirect-loop"],
    [
      "without an end",
      {
        "/loop": redirect("/l1"),
        "/l1": redirect("/l2"),
        "/l2": redirect("/l3"),
        "/l3": redirect("/l4"),
        "/l4": page,
      },
      "redirect-loop",
    ],
    ["to no http address", { "/loop": redirect("javascript:alert(1)") }, "http-status"],
    ["to a private address", { "/loop": redirect("http://169.254.169.254/latest/") }, "blocked-address"],
    [
      "to a private address in disguise",
      { "/loop": redirect("http://[::ffff:10.0.0.1]/") },
      "blocked-address",
    ],
  ])("%s end with an outcome", async (_, answers, because) => {
    site.serve(answers)
    expect(await read("/loop")).toMatchObject({ kind: "failed", because })
  })
})

describe("pages that redirect their readers", () => {
  const refresh = (content: string, text = "") =>
    `<title>Elsewhere</title><meta http-equiv="refresh" content="${content}"><body>${text}</body>`

  test("are followed hop by hop, by tag and by header, with cookies and all links alike", async () => {
    site.serve({
      "/docs/": html(refresh("0; url=en/latest"), { "set-cookie": "seen=1; Path=/docs" }),
      "/docs/en/latest": redirect("/docs/en/latest/"),
      "/docs/en/latest/": (request, response) => {
        const isKnown = request.headers.cookie === "seen=1"
        html("", { refresh: isKnown ? "1; url=/home" : "1; url=/stranger" })(request, response)
      },
      "/home": page,
    })
    for (const linksOnly of [false, true])
      expect(await reader.read(site.url("/docs/"), { linksOnly })).toMatchObject({
        kind: "read",
        reading: { url: site.url("/home"), extracted: { title: "Lighthouses" } },
      })
  })

  test("pass every check of a redirect: loops, hops, the address guard, robots.txt and the caller's limits", async () => {
    site.serve({
      "/ring": refresh("0; url=/ring2"),
      "/ring2": refresh("0; url=/ring"),
      ...Object.fromEntries([1, 2, 3, 4].map((at) => [`/row${at}`, refresh(`0; url=/row${at + 1}`)])),
      "/row5": page,
      "/inwards": refresh("0; url=http://169.254.169.254/latest/"),
      "/to-secret": refresh("0; url=/secret"),
      "/secret": page,
      "/to-404": refresh("0; url=/is-not-there"),
      "/robots.txt": textFile("User-agent: *\nDisallow: /secret"),
    })
    expect(await read("/ring")).toMatchObject({
      because: "redirect-loop",
      detail: `immediately leads to ${site.url("/ring")}: redirect loop back to ${site.url("/ring")}`,
    })
    expect(await read("/row1")).toMatchObject({ because: "redirect-loop" })
    expect(await read("/row2")).toMatchObject({ kind: "read", reading: { url: site.url("/row5") } })
    expect(await read("/inwards")).toMatchObject({ because: "blocked-address" })
    expect(await read("/to-404")).toMatchObject({
      because: "http-status",
      detail: `immediately leads to ${site.url("/is-not-there")}: the site answered 404`,
      status: 404,
    })
    const admits = (url: string) => !url.endsWith("/secret")
    for (const options of [{ robots: true }, { admits }])
      expect(await reader.read(site.url("/to-secret"), options)).toMatchObject({ kind: "skipped" })
    expect(site.requests).not.toContain("/secret")
  })

  test("carry no cookie to another host", async () => {
    let cookie: string | undefined = "none asked"
    await using other = await startTestSite(
      {
        "/": (request, response) => {
          cookie = request.headers.cookie
          html(page)(request, response)
        },
      },
      { host: "127.0.0.2" },
    )
    site.serve({ "/away": html(refresh(`0; url=${other.url("/")}`), { "set-cookie": "own=1; Path=/" }) })
    expect(await read("/away")).toMatchObject({ kind: "read", reading: { url: other.url("/") } })
    expect(cookie).toBeUndefined()
  })

  test("to themselves are read as they are, unless they only test for cookies", async () => {
    let asked = 0
    site.serve({
      "/wall": (request, response) => {
        asked += 1
        if (request.headers.cookie === "in=1") html(page)(request, response)
        else html(refresh("0"), { "set-cookie": "in=1" })(request, response)
      },
      "/board": refresh("1", "<main><h1>Departures</h1><p>Whitby at four minutes past twelve.</p></main>"),
      "/waits": refresh("3"),
      "/later": refresh("40; url=/board"),
    })
    expect(await read("/wall")).toMatchObject({ reading: { extracted: { title: "Lighthouses" } } })
    expect(asked).toBe(2)
    expect(await read("/board")).toMatchObject({
      reading: { extracted: { markdown: expect.stringContaining("Whitby") } },
    })
    expect(await read("/waits")).toMatchObject({
      reading: { emptyBecause: "it has no text and reloads itself after 3 s" },
    })
    const later = await read("/later")
    expect(later).toMatchObject({
      reading: { emptyBecause: `it has no text and leads to ${site.url("/board")} after 40 s` },
    })
    expect(later.kind === "read" && later.reading.extracted.links.map(({ url }) => url)).toEqual([
      site.url("/board"),
    ])
  })
})

describe("unusable bodies", () => {
  test.each([
    [
      "truncated gzip",
      compressed("gzip", gzipSync(page).subarray(0, 200)),
      { kind: "failed", because: "bad-encoding" },
    ],
    [
      "truncated brotli",
      compressed("br", brotliCompressSync(page).subarray(0, 100)),
      { kind: "failed", because: "bad-encoding" },
    ],
    [
      "truncated zstd",
      compressed("zstd", zstdCompressSync(page).subarray(0, 100)),
      { kind: "failed", because: "bad-encoding" },
    ],
    ["gzip that is none", compressed("gzip", Buffer.from(page)), { kind: "failed", because: "bad-encoding" }],
    [
      "an unknown encoding",
      compressed("snappy", Buffer.from(page)),
      { kind: "failed", because: "bad-encoding" },
    ],
    [
      "layer upon layer",
      compressed("gzip, gzip, gzip", Buffer.from(page)),
      { kind: "failed", because: "bad-encoding" },
    ],
    ["a gzip bomb", compressed("gzip", gzipSync(bomb)), { kind: "skipped", because: "too-large" }],
    ["a brotli bomb", compressed("br", brotliCompressSync(bomb)), { kind: "skipped", because: "too-large" }],
    ["a zstd bomb", compressed("zstd", zstdCompressSync(bomb)), { kind: "skipped", because: "too-large" }],
    [
      "a body announced as too long",
      bytes(bomb, { "content-type": "text/html" }),
      { kind: "skipped", because: "too-large" },
    ],
    ["100 MB without a length", endless(100_000_000), { kind: "skipped", because: "too-large" }],
    ["a connection that breaks off", breaksOff(), { kind: "failed", because: "bad-encoding" }],
    [
      "a whole page whose answer has no end",
      unended(`${page}</main></body>\n</html>\n<!-- cached 12:04 -->\n`),
      { kind: "read", reading: { extracted: { note: expect.stringMatching(/^the answer was cut off/) } } },
    ],
    [
      "an image",
      bytes("GIF89a", { "content-type": "image/gif" }),
      { kind: "skipped", because: "unsupported-type" },
    ],
    [
      "a damaged PDF as HTML",
      bytes("%PDF-1.7 and so on", { "content-type": "text/html" }),
      { kind: "failed", because: "unreadable" },
    ],
    [
      "binary data as HTML",
      bytes(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]), {
        "content-type": "text/html; charset=utf-8",
      }),
      { kind: "skipped", because: "unsupported-type" },
    ],
    [
      "XML that is no page",
      bytes("<rss/>", { "content-type": "application/rss+xml" }),
      { kind: "skipped", because: "unsupported-type" },
    ],
  ])("%s has its outcome", async (_, answer, outcome) => {
    site.serve({ "/bad": answer })
    expect(await read("/bad")).toMatchObject(outcome)
  })

  test("HTML without a type is recognised, even after comments", async () => {
    site.serve({ "/untyped": bytes(`<!-- one --> <!-- two -->\n${page}`, {}) })
    expect(await read("/untyped")).toMatchObject({
      kind: "read",
      reading: { extracted: { title: "Lighthouses" } },
    })
  })

  // The type is detected on the event loop: a hundred comments must not hold it up.
  test("comments without a type or a page are text", async () => {
    site.serve({ "/comments": bytes(`${"<!---->".repeat(100)}nothing`, {}) })
    expect(await read("/comments")).toMatchObject({ kind: "read" })
  })
})

describe("sites that misbehave", () => {
  test.each([404, 410, 500])("status %i fails with its number", async (code) => {
    site.serve({ "/status": status(code) })
    expect(await read("/status")).toMatchObject({
      kind: "failed",
      because: "http-status",
      detail: `the site answered ${code}`,
    })
  })

  test("429 sets the time to wait", async () => {
    site.serve({ "/busy": status(429, { "retry-after": "Fri, 01 Jan 1999 00:00:00 GMT" }) })
    const before = Date.now()
    const result = await read("/busy")
    expect(result.kind === "postponed" && result.until.getTime()).toBeGreaterThanOrEqual(before)
  })

  test.each([
    ["seconds", "120", 120_000],
    ["a date", new Date(1_000_000 + 120_000).toUTCString(), 120_000],
    ["a date that is past", new Date(0).toUTCString(), 0],
    ["nothing", undefined, 5000],
    ["nonsense", "soon", 5000],
    ["the end of time", "99999999999", 24 * 3_600_000],
  ])("Retry-After given as %s is understood", (_, header, wait) => {
    expect(retryAfterMs(header, 1_000_000)).toBe(wait)
  })

  test("no answer ends in a timeout", async () => {
    site.serve({ "/silent": () => undefined, "/hangs": hangs() })
    for (const path of ["/silent", "/hangs"]) {
      expect(await reader.read(site.url(path), { timeoutMs: 150 })).toMatchObject({
        kind: "failed",
        because: "timeout",
      })
    }
  })

  test("a caller who aborts gets an answer at once", async () => {
    site.serve({ "/silent": () => undefined })
    const abort = new AbortController()
    const result = reader.read(site.url("/silent"), { signal: abort.signal })
    abort.abort()
    expect(await result).toMatchObject({ kind: "failed", because: "cancelled" })
  })

  test("a closed port is a refusal, an unknown name a DNS failure", async () => {
    expect(await reader.read(`http://127.0.0.1:${await freePort()}/`)).toMatchObject({
      kind: "failed",
      because: "refused",
    })
    expect(await reader.read("http://no-such-host.invalid/")).toMatchObject({
      kind: "failed",
      because: "dns",
    })
  })

  test("plain HTTP on an https address is a TLS failure", async () => {
    expect(await reader.read(site.origin.replace("http:", "https:"))).toMatchObject({
      kind: "failed",
      because: "tls",
    })
  })

  test("an invalid address is a failure", async () => {
    expect(await reader.read("mailto:me@example.com")).toMatchObject({ kind: "failed" })
  })
})

describe("robots", () => {
  test("robots.txt is obeyed when enabled, also after redirects", async () => {
    await using other = await startTestSite({
      "/robots.txt": textFile("User-agent: *\nDisallow: /private"),
      "/private": page,
      "/open": redirect("/private"),
    })
    for (const path of ["/private", "/open"]) {
      expect(await reader.read(other.url(path), { robots: true })).toMatchObject({
        kind: "skipped",
        because: "robots",
      })
      expect(await reader.read(other.url(path))).toMatchObject({ kind: "read" })
    }
    expect(other.requests.filter((path) => path === "/robots.txt")).toHaveLength(1)
  })

  test("a Crawl-delay is kept up to the maximum, and ignored on your own hosts", async () => {
    using internet = new FakeInternet({ "slow.example": "127.0.0.1", "quick.example": "127.0.0.1" })
    const asks = (seconds: number) => textFile(`User-agent: *\nCrawl-delay: ${seconds}`)
    await using slow = await startTestSite({ "/robots.txt": asks(600) })
    await using quick = await startTestSite({ "/robots.txt": asks(2) })
    await using visitor = new PageReader(testConfig({ FOSSICK_MAX_WAIT_MS: "5000" }), {
      resolve: internet.resolve,
    })
    const foreign = (name: string, { origin }: TestSite) =>
      `http://${name}:${new URL(origin).port}/` as PageUrl
    expect(await visitor.crawlDelayMs(foreign("slow.example", slow))).toBe(5000)
    expect(await visitor.crawlDelayMs(foreign("quick.example", quick))).toBe(2000)
    expect(await visitor.crawlDelayMs(slow.url("/") as PageUrl)).toBeNull()
  })

  test("a Rating header marks a page as adult", async () => {
    site.serve({ "/rated": html(page, { rating: "RTA-5042-1996-1400-1577-RTA" }) })
    expect(await read("/rated")).toMatchObject({ reading: { extracted: { unsafe: true } } })
    site.serve({ "/rated": html(page, { rating: "general" }) })
    expect(await read("/rated")).toMatchObject({ reading: { extracted: { unsafe: false } } })
  })

  test("X-Robots-Tag and the Link header work like their HTML forms", async () => {
    site.serve({
      "/tagged": html(page, {
        "x-robots-tag": "otherbot: nofollow, noindex",
        link: '</a,b>; rel=next, </well>; title=";"; rel="canonical shortlink"',
      }),
    })
    expect(await read("/tagged")).toMatchObject({
      reading: { extracted: { canonical: site.url("/well"), robots: { noindex: false, nofollow: false } } },
    })
    site.serve({ "/tagged": html(page, { "x-robots-tag": "FossickBot: noindex" }) })
    expect(await read("/tagged")).toMatchObject({
      reading: { extracted: { robots: { noindex: true, nofollow: false } } },
    })
  })
})

test("private addresses are rejected unless the settings allow them", async () => {
  await using strict = createReader(testConfig({ FOSSICK_ALLOWED_NETWORKS: "10.0.0.0/8" }))
  expect(await strict.read(site.origin)).toMatchObject({ kind: "failed", because: "blocked-address" })
})

test("sitemaps are read only on the site's own domain, and on its other hosts when allowed", async () => {
  const names = {
    "docs.example": "127.0.0.1",
    "maps.docs.example": "127.0.0.1",
    "other.example": "127.0.0.1",
  }
  using internet = new FakeInternet(names)
  let port = ""
  const listing = (path: string): Answer => textFile(`<urlset><url><loc>${path}</loc></url></urlset>`)
  const named = ["maps.docs.example", "other.example", "docs.example"]
  await using maps = await startTestSite({
    "/robots.txt": (_, response) =>
      void response.end(named.map((host) => `Sitemap: http://${host}:${port}/${host}.xml`).join("\n")),
    "/maps.docs.example.xml": listing("/one"),
    "/other.example.xml": listing("/two"),
    "/docs.example.xml": (_, response) =>
      void response.writeHead(302, { location: `http://other.example:${port}/other.example.xml` }).end(),
  })
  ;({ port } = new URL(maps.origin))
  await using far = createReader(testConfig(), { resolve: internet.resolve })
  const start = `http://docs.example:${port}/` as PageUrl
  expect(await far.sitemap(start, { limit: 9 })).toEqual([`http://maps.docs.example:${port}/one`])
  expect(await far.sitemap(start, { limit: 9, admits: (url) => !url.includes("maps") })).toEqual([])
  expect(maps.requests).not.toContain("/other.example.xml")
})
