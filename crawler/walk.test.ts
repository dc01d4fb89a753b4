import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PatternError } from "./patterns.ts"
import { createReader } from "./reader.ts"
import type { Reader, WalkOptions } from "./reading.ts"
import { testConfig } from "./testing/crawl-fixture.ts"
import { article, redirect, startTestSite, status, type TestSite, textFile } from "./testing/test-site.ts"
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

test("breadth bounds the links of one page, limit the pages of all", async () => {
  expect(await walk({ maxBreadth: 2 })).toEqual(["0 / read", "1 /docs/a read", "1 /docs/b read"])
  expect(await walk({ limit: 3, maxDepth: 3 })).toHaveLength(3)
})

test("a walk may only list its last level", async () => {
  const before = site.requests.length
  expect(await walk({ discoverOnly: true, maxBreadth: 2 })).toEqual([
    "0 / read",
    "1 /docs/a found",
    "1 /docs/b found",
  ])
  expect(site.requests.slice(before)).toEqual(["/"])
})

describe("patterns", () => {
  test("choose and exclude paths; the start is always read", async () => {
    expect(await walk({ selectPaths: ["^/docs/"], excludePaths: ["/b$"] })).toEqual([
      "0 / read",
      "1 /docs/a read",
    ])
  })

  test("choose and exclude domains", async () => {
    expect(await walk({ excludeDomains: ["127"] })).toEqual(["0 / read"])
    expect(await walk({ selectDomains: ["^nowhere$"] })).toEqual(["0 / read"])
  })

  test("that are not valid are refused before anything is read, with the option's name", async () => {
    const before = site.requests.length
    await expect(walk({ excludePaths: ["(?=x)"] })).rejects.toMatchObject({
      name: "PatternError",
      field: "excludePaths",
    })
    await expect(walk({ selectDomains: ["("] })).rejects.toBeInstanceOf(PatternError)
    expect(site.requests.length).toBe(before)
  })

  test("that would take a backtracking engine for ever do not", async () => {
    expect(await walk({ selectPaths: ["^(/?[a-z]+)+!$"] })).toEqual(["0 / read"])
  })
})

test("external links are reported once and not followed", async () => {
  const found = await walk({ maxDepth: 2, allowExternal: true })
  expect(found.filter((line) => line.includes("elsewhere"))).toEqual(["1 https://elsewhere.invalid/x found"])
})

test("a start that cannot be read is the whole walk", async () => {
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
