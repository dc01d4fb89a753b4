import * as fc from "fast-check"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import type { PageFilter } from "../../engine.ts"
import { type Page, sourcesOf } from "../../index/page/page.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import { aPage } from "../../testing/pages.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"
import { DOMAINS } from "../../testing/domain-oracle.ts"

// Compares every filter, alone and with others, with a naive oracle over the same pages. These tests aren't in the
// contract suite because a recorded server can only answer what it was asked when it was recorded, not random filters.

const HOSTS = [
  "https://example.com",
  "https://docs.example.com",
  "http://notexample.com",
  "https://example.co.uk",
  "http://localhost:8080",
]
const FOLDERS = ["", "docs/", "docs/v2/", "docs/latest/", "blog/2024/", "Docs/", "a%20b/"]
const SOURCES = ["s0", "s1", "s2"]
const TYPES = ["html", "pdf", "markdown"] as const
const TOPICS = ["news", "finance"] as const
const DAY = 86_400_000
const FIRST = Date.UTC(2024, 0, 1)
const WORDS = ["apple", "banana", "cherry", "damson"]

const pages = fc.sample(
  fc.record({
    host: fc.constantFrom(...HOSTS),
    folder: fc.constantFrom(...FOLDERS),
    language: fc.constantFrom("en", "de", null),
    topic: fc.constantFrom(...TOPICS, null),
    type: fc.constantFrom(...TYPES),
    day: fc.option(fc.nat(20)),
    unsafe: fc.boolean(),
    sources: fc.subarray(SOURCES, { minLength: 1 }),
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 5 }),
  }),
  { numRuns: 90, seed: 20 },
)
const stored = pages.map(
  ({ host, folder, sources: [source, ...sharedWith], words, day, ...about }, at): Page =>
    aPage(`${host}/${folder}p${at}`, {
      ...about,
      title: `Page number${at}`,
      markdown: `Everywhere text number${at} says ${words.join(" ")} and ends.`,
      publishedAt: day === null ? null : new Date(FIRST + day * DAY),
      source: source!,
      ...(sharedWith.length > 0 && { sharedWith }),
    }),
)

let dir: string
let engine: EmbeddedEngine
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-filters-"))
  engine = await EmbeddedEngine.open({
    dir: join(dir, "index"),
    mode: "write",
    embedder: new HashingEmbedder(),
  })
  await engine.index(stored)
  await engine.settled()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const list = <T>(all: readonly T[]) => fc.subarray([...all], { maxLength: 2 })
const day = fc.nat(20).map((number) => new Date(FIRST + number * DAY))
const anyFilter: fc.Arbitrary<PageFilter> = fc.record(
  {
    includeDomains: list([
      "example.com",
      "docs.example.com",
      "localhost",
      "localhost:8080",
      "example.co.uk:443",
      "co.uk",
      "example.net",
    ]),
    excludeDomains: list(["example.com", "docs.example.com", "localhost:1", "notexample.com"]),
    publishedFrom: day,
    publishedBefore: day,
    requirePublished: fc.boolean(),
    languages: list(["en", "de", "fr"]),
    sources: list([...SOURCES, "s9"]),
    excludeSources: list(SOURCES),
    types: list([...TYPES, "epub" as const]),
    topics: list(TOPICS),
    safe: fc.boolean(),
    paths: list(["/docs", "/docs/v2/", "!/docs/v2", "/blog", "!/blog/2024", "/a b", "/Docs"]),
    versions: list(["v2", "latest"]),
    phrases: list(["apple banana", "Cherry", "damson  apple", "text number1"]),
  },
  { requiredKeys: [] },
)

/** Implements the documentation of `PageFilter`, one condition after another. */
function naive(page: Page, filter: PageFilter): boolean {
  const url = new URL(page.url)
  const given = <T>(all: readonly T[] | undefined) => (all === undefined || all.length === 0 ? null : all)
  const isUnder = (folder: string) =>
    `${decodeURI(url.pathname)}/`.startsWith(`${folder.replace(/\/$/, "")}/`)
  const paths = given(filter.paths) ?? []
  const wanted = paths.filter((one) => !one.startsWith("!"))
  const version = url.pathname.split("/").find((part) => part === "v2" || part === "latest") ?? null
  // Compares words, not letters: "number1" is not in "number10".
  const wordsOf = (text: string) =>
    ` ${text
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join(" ")} `
  const said = wordsOf(`${page.title} ${page.markdown}`)
  const date = page.publishedAt
  const { publishedFrom: from, publishedBefore: before } = filter
  return (
    (given(filter.includeDomains)?.some((name) => DOMAINS[name]!(url)) ?? true) &&
    !filter.excludeDomains?.some((name) => DOMAINS[name]!(url)) &&
    (date === null
      ? !(filter.requirePublished === true && (from !== undefined || before !== undefined))
      : (from === undefined || date >= from) && (before === undefined || date < before)) &&
    (given(filter.languages)?.some((one) => one === page.language) ?? true) &&
    (given(filter.sources)?.some((one) => sourcesOf(page).includes(one)) ?? true) &&
    !filter.excludeSources?.some((one) => sourcesOf(page).includes(one)) &&
    (given(filter.types)?.some((one) => one === page.type) ?? true) &&
    (given(filter.topics)?.some((one) => one === page.topic) ?? true) &&
    !(filter.safe === true && page.unsafe) &&
    !paths.some((one) => one.startsWith("!") && isUnder(one.slice(1))) &&
    (wanted.length === 0 || wanted.some(isUnder)) &&
    (given(filter.versions)?.some((one) => one === version) ?? true) &&
    (filter.phrases ?? []).every((phrase) => said.includes(wordsOf(phrase)))
  )
}

test.each(["lexical", "hybrid"] as const)(
  "a search finds exactly the pages that match its filter: %s",
  async (arms) => {
    await fc.assert(
      fc.asyncProperty(anyFilter, async (filter) => {
        const { hits } = await engine.search({
          text: "everywhere",
          limit: 200,
          filter,
          arms,
          withMarkdown: false,
        })
        const expected = stored.filter((page) => naive(page, filter)).map(({ url }) => url)
        expect(hits.map(({ url }) => url).toSorted()).toEqual(expected.toSorted())
      }),
      madeUp(arms === "lexical" ? 150 : 60, 4),
    )
  },
)

test("facets count the pages that match a filter", async () => {
  await fc.assert(
    fc.asyncProperty(anyFilter, async (filter) => {
      const counted = await engine.facets({
        text: "everywhere",
        fields: ["source", "language", "type", "topic"],
        filter,
      })
      const expected = stored.filter((page) => naive(page, filter))
      const tally = (valuesOf: (page: Page) => readonly (string | null | undefined)[]) => {
        const counts: Record<string, number> = {}
        for (const value of expected.flatMap(valuesOf)) if (value) counts[value] = (counts[value] ?? 0) + 1
        return counts
      }
      expect(counted.pages).toBe(expected.length)
      expect(
        counted.facets.map(({ values }) =>
          Object.fromEntries(values.map(({ value, count }) => [value, count])),
        ),
      ).toEqual([
        tally(sourcesOf),
        tally(({ language }) => [language]),
        tally(({ type }) => [type]),
        tally(({ topic }) => [topic]),
      ])
    }),
    madeUp(60, 5),
  )
})
