import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PatternError } from "../scope/patterns.ts"
import { createReader } from "../../fetch/visit/reader.ts"
import type { Reader, WalkFrontier, WalkOptions } from "../../reading.ts"
import { testConfig } from "../../testing/crawl-fixture.ts"
import { article, redirect, startTestSite, status, type TestSite, textFile } from "../../testing/test-site.ts"
import { walkSite } from "./walk.ts"

let site: TestSite
let reader: Reader

beforeAll(async () => {
  reader = createReader(testConfig())
  site = await startTestSite({
    "/robots.txt": textFile("User-agent: *\nDisallow: /secret"),
    "/": article("Home", {
      links: ["/docs/a", "/docs/b", "/blog/c", "https://elsewhere.invalid/x", "/secret"],
    }),
    "/docs/a": article("A", { links: ["/", "/docs/deep", "https://elsewhere.invalid/x"] }),
    "/docs/b": article("B", { links: ["/docs/a", "/docs/moved"] }),
    "/blog/c": article("C"),
    "/docs/deep": article("Deep", { links: ["/docs/deeper"] }),
    "/docs/deeper": article("Deeper"),
    "/docs/moved": redirect("/docs/deep"),
    "/dead": status(404),
    "/wide": article("Wide", {
      links: [...Array.from({ length: 20 }, (_, i) => `/wide/${i}`), "https://elsewhere.invalid/y"],
    }),
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `/wide/${i}`,
        article(`Wide ${i}`, { links: [`/wide/${i}/far`] }),
      ]),
    ),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`/wide/${i}/far`, article(`Far ${i}`)])),
  })
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function walk(options: Partial<WalkOptions>): Promise<string[]> {
  const found: string[] = []
  const all = { url: site.origin, maxDepth: 1, maxBreadth: 20, limit: 50, allowExternal: false, ...options }
  for await (const { url, depth, result } of walkSite(reader, all)) {
    const path = url.startsWith(site.origin) ? url.slice(site.origin.length) : url
    found.push(`${depth} ${path} ${result?.kind ?? "found"}`)
  }
  return found
}

test("a walk goes level by level, in the order of the links, and obeys robots.txt", async () => {
  expect(await walk({ maxDepth: 2 })).toEqual([
    "0 / read",
    "1 /docs/a read",
    "1 /docs/b read",
    "1 /blog/c read",
    "1 /secret skipped",
    "2 /docs/deep read",
  ])
})

test("breadth limits the links taken from one page, limit the total number of pages", async () => {
  expect(await walk({ maxBreadth: 2 })).toEqual(["0 / read", "1 /docs/a read", "1 /docs/b read"])
  expect(await walk({ limit: 3, maxDepth: 3 })).toHaveLength(3)
})

test("with a judge, the best links are followed first, whatever their depth", async () => {
  const judged: string[][] = []
  const judge: WalkOptions["judge"] = (links) => {
    judged.push(links.map(({ text }) => text))
    return Promise.resolve(
      links.map(({ url }) => (url.includes("deep") ? 1 : url.includes("blog") ? 0.5 : 0.1)),
    )
  }
  expect(await walk({ judge, maxDepth: 3, maxBreadth: 2, limit: 4 })).toEqual([
    "0 / read",
    "1 /blog/c read",
    "1 /docs/a read",
    "2 /docs/deep read",
  ])
  expect(judged[0]).toHaveLength(4)
  expect(await walk({ judge, maxDepth: 3 })).toContain("3 /docs/deeper read")
  expect(await walk({ judge, maxDepth: 2, discoverOnly: true })).toContain("2 /docs/deep found")
})

test("a walk can list its last level without reading it", async () => {
  const before = site.requests.length
  expect(await walk({ discoverOnly: true, maxBreadth: 2 })).toEqual([
    "0 / read",
    "1 /docs/a found",
    "1 /docs/b found",
  ])
  expect(site.requests.slice(before)).toEqual(["/"])
})

describe("patterns", () => {
  test("select and exclude paths; the start is always read", async () => {
    expect(await walk({ selectPaths: ["^/docs/"], excludePaths: ["/b$"] })).toEqual([
      "0 / read",
      "1 /docs/a read",
    ])
  })

  test("select and exclude domains", async () => {
    expect(await walk({ excludeDomains: ["127"] })).toEqual(["0 / read"])
    expect(await walk({ selectDomains: ["^nowhere$"] })).toEqual(["0 / read"])
  })

  test("are rejected when invalid, before anything is read, with the option's name", async () => {
    const before = site.requests.length
    await expect(walk({ excludePaths: ["(?=x)"] })).rejects.toMatchObject({
      name: "PatternError",
      field: "excludePaths",
    })
    await expect(walk({ selectDomains: ["("] })).rejects.toBeInstanceOf(PatternError)
    expect(site.requests.length).toBe(before)
  })

  test("that would hang a backtracking engine do not hang", async () => {
    expect(await walk({ selectPaths: ["^(/?[a-z]+)+!$"] })).toEqual(["0 / read"])
  })

  test("that together would be slow on every address are rejected", async () => {
    await expect(walk({ selectPaths: Array(10).fill("(?:a?){500}") })).rejects.toBeInstanceOf(PatternError)
  })
})

describe("external addresses", () => {
  test("come last, once each, and their links are not followed", async () => {
    await using other = await startTestSite({
      "/": article("Other", { links: ["/more"] }),
      "/more": article("More"),
    })
    const abroad = other.origin.replace("127.0.0.1", "localhost")
    await using home = await startTestSite({
      "/": article("Home", { links: [abroad, "/a"] }),
      "/a": article("A", { links: [abroad, "/b"] }),
      "/b": article("B"),
    })
    const visit = { url: home.origin, maxDepth: 2, allowExternal: true }
    const inside = ["/", "/a", "/b"].map((path, depth) => `${depth} ${home.url(path)} read`)
    expect(await walk(visit)).toEqual([...inside, `1 ${abroad}/ read`])
    expect(await walk({ ...visit, discoverOnly: true })).toEqual([
      ...inside.slice(0, 2),
      `2 ${home.url("/b")} found`,
      `1 ${abroad}/ found`,
    ])
    expect(other.requests).not.toContain("/more")
  })

  test("never take the place of internal pages", async () => {
    const options = { maxDepth: 2, discoverOnly: true, allowExternal: true }
    const inside = ["0 / read", "1 /docs/a read", "1 /docs/b read", "1 /blog/c read"]
    expect(await walk({ ...options, limit: 4 })).toEqual(inside)
    expect(await walk({ ...options, limit: 7 })).toEqual([
      ...inside,
      "1 /secret skipped",
      "2 /docs/deep found",
      "2 /docs/moved found",
    ])
    expect(await walk({ ...options, limit: 8 })).toContain("1 https://elsewhere.invalid/x found")
  })

  test("obey path patterns, and are left out when domains are selected", async () => {
    const outside = async (options: Partial<WalkOptions>) =>
      (await walk({ discoverOnly: true, allowExternal: true, ...options })).filter((line) =>
        line.includes("elsewhere"),
      )
    expect(await outside({ selectPaths: ["^/x$"] })).toHaveLength(1)
    expect(await outside({ selectPaths: ["^/docs/"] })).toEqual([])
    expect(await outside({ excludeDomains: ["elsewhere"] })).toEqual([])
    expect(await outside({ selectDomains: ["^127"] })).toEqual([])
  })
})

test("a start that cannot be read ends the walk", async () => {
  expect(await walk({ url: site.url("/dead"), maxDepth: 3 })).toEqual(["0 /dead failed"])
})

test("an abort ends the walk", async () => {
  const abort = new AbortController()
  await using slow = await startTestSite({
    "/": article("Home", { links: ["/silent"] }),
    "/silent": () => abort.abort(),
  })
  expect(await walk({ url: slow.origin, signal: abort.signal })).toEqual(
    ["0 / read"].map((line) => line.replace("/", slow.url("/"))),
  )
})

describe("the site's sitemaps", () => {
  const urlset = (...paths: string[]) =>
    `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`
  let listing: TestSite
  const from = async (options: Partial<WalkOptions> = {}) => {
    const found = []
    for await (const { url, depth, result } of walkSite(reader, {
      url: listing.url("/"),
      maxDepth: 1,
      maxBreadth: 10,
      limit: 20,
      allowExternal: false,
      ...options,
    })) {
      found.push(`${depth} ${url.replace(listing.url("/"), "/")} ${result?.kind ?? "found"}`)
    }
    return found
  }

  beforeAll(async () => {
    listing = await startTestSite({
      "/robots.txt": textFile(
        "User-agent: *\nDisallow: /secret\nSitemap: /maps/index.xml\nSitemap: /secret/map.xml",
      ),
      "/maps/index.xml": textFile(
        `<sitemapindex>${["/maps/pages.xml.gz", "https://elsewhere.invalid/map.xml", "/maps/away.xml"]
          .map((map) => `<sitemap><loc>${map}</loc></sitemap>`)
          .join("")}</sitemapindex>`,
      ),
      "/maps/pages.xml.gz": (_, response) =>
        void response.end(
          gzipSync(urlset("/docs/a", "/lonely", "/secret", "https://elsewhere.invalid/x", "/lonely")),
        ),
      "/maps/away.xml": redirect("https://elsewhere.invalid/map.xml"),
      "/secret/map.xml": textFile(urlset("/hidden")),
      "/": article("Home", { links: ["/docs/a", "/docs/b"] }),
      "/docs/a": article("A", { links: ["/docs/deep"] }),
      "/docs/b": article("B"),
      "/docs/deep": article("Deep"),
      "/lonely": article("Lonely", { links: ["/docs/far"] }),
      "/docs/far": article("Far"),
    })
  })
  afterAll(() => listing[Symbol.asyncDispose]())

  test("add pages that no link leads to at depth 0, and obey robots.txt", async () => {
    expect(await from({ sitemap: "include" })).toEqual([
      "0 / read",
      "0 /docs/a read",
      "0 /lonely read",
      "0 /secret skipped",
      "1 /docs/b read",
      "1 /docs/deep read",
      "1 /docs/far read",
    ])
    expect(await from()).not.toContain("0 /lonely read")
    expect(listing.requests).not.toContain("/secret/map.xml")
  })

  test("can be the only source of pages", async () => {
    expect(await from({ sitemap: "only" })).toEqual([
      "0 / read",
      "0 /docs/a read",
      "0 /lonely read",
      "0 /secret skipped",
    ])
    expect(await from({ sitemap: "only", selectPaths: ["^/l"], limit: 2 })).toEqual([
      "0 / read",
      "0 /lonely read",
    ])
  })

  test("list their pages without reading them when only discovering, except where links are needed", async () => {
    expect(await from({ sitemap: "include", discoverOnly: true, maxDepth: 2 })).toEqual([
      "0 / read",
      "0 /lonely found",
      "0 /secret found",
      "1 /docs/a read",
      "1 /docs/b read",
      "2 /docs/deep found",
    ])
    const only = { sitemap: "only", discoverOnly: true, maxDepth: 2 } as const
    expect(await from(only)).toEqual(["0 /docs/a found", "0 /lonely found", "0 /secret found"])
    expect(await from({ ...only, url: listing.url("/lonely"), limit: 2 })).toEqual([
      "0 /lonely read",
      "0 /docs/a found",
    ])
  })

  test("may be missing: the walk then uses links, or only the start", async () => {
    expect(await walk({ sitemap: "include", maxBreadth: 2 })).toEqual(await walk({ maxBreadth: 2 }))
    expect(await walk({ sitemap: "only" })).toEqual(["0 / read"])
    expect(await walk({ sitemap: "only", discoverOnly: true })).toEqual([])
  })

  test("are not requested when the host does not answer", async () => {
    const dead = await from({ url: "http://127.0.0.1:9/", sitemap: "only", discoverOnly: true })
    expect(dead).toEqual(["0 http://127.0.0.1:9/ failed"])
  })
})

test("a walk paused again and again gives the same results as one without pauses, and reads each page once", async () => {
  const read: string[] = []
  const counted: Pick<Reader, "read" | "sitemap"> = {
    read: (url, options) => {
      read.push(url)
      return reader.read(url, options)
    },
    sitemap: (at, options) => reader.sitemap(at, options),
  }
  const options = { url: `${site.origin}/wide`, maxDepth: 2, maxBreadth: 50, limit: 38, allowExternal: true }
  const whole = []
  for await (const { url, depth } of walkSite(reader, options)) whole.push(`${depth} ${url}`)
  expect(whole).toHaveLength(38)
  const parts = []
  let turns = 0
  let from: WalkFrontier | null = null
  do {
    let left: WalkFrontier | null = null
    const pause = {
      from,
      isDue: async () => true,
      keep: (frontier: WalkFrontier) => {
        left = JSON.parse(JSON.stringify(frontier)) as WalkFrontier
      },
    }
    for await (const { url, depth } of walkSite(counted, { ...options, pause })) parts.push(`${depth} ${url}`)
    from = left
    turns += 1
  } while (from !== null)
  expect(parts).toEqual(whole)
  expect(new Set(read).size).toBe(read.length)
  // Six pages are read ahead at a time: 1 batch for the first page, then 4 batches of 6 for 20 pages, then 3 batches of
  // 6 for 17 pages.
  expect(turns).toBe(8)
})
