import { expect, test } from "vitest"

import type { Reread } from "#crawler/upkeep/reread/rereader.ts"
import type { Hit, Page, PageUrl, Query } from "#engine"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { parseQueryText } from "#engine/text/query-text.ts"

import { sourceOfPeer } from "../../services/federation/peers-file.ts"
import { hit } from "../../testing/fake-engine.ts"
import { type Freshness, freshHits } from "./fresh-hits.ts"

const HOUR = 3_600_000
const HOURLY: Freshness = { maxAgeMs: HOUR, fetchMs: 60_000, fallsBack: false }
const NOW = new Date()

const pageAt = (path: string, given: Partial<Hit> = {}): Hit =>
  hit({
    url: `https://example.com/${path}` as PageUrl,
    fetchedAt: new Date(NOW.getTime() - 2 * HOUR),
    ...given,
  })

const rewritten = (of: Hit, markdown: string, given: Partial<Page> = {}): Reread => {
  const { url, title, description, language, author, publishedAt, topic, country, unsafe, images, favicon } =
    of
  const facts = { title, description, language, author, publishedAt, topic, country, unsafe, images, favicon }
  const page: Page = { url, ...facts, source: of.source, fetchedAt: NOW, markdown, ...given }
  return { kind: "changed", at: NOW, page }
}

/** Refreshes hits, given the current state of some pages; pages not listed are unchanged. */
async function young(
  hits: readonly Hit[],
  now: Readonly<Record<string, Reread>> = {},
  freshness: Freshness = HOURLY,
  { text = "how does a pump move water", ...query }: Partial<Query> & { readonly text?: string } = {},
) {
  const asked: string[] = []
  const question = parseQueryText(text)
  const found = await freshHits(hits, freshness, {
    checked: async ({ fetchedAt }) => fetchedAt,
    reread: async (url) => {
      asked.push(url)
      return now[new URL(url).pathname.slice(1)] ?? { kind: "same", at: NOW }
    },
    question,
    query: { limit: 5, ...query, text: question },
    embedder: new HashingEmbedder(),
    signal: new AbortController().signal,
  })
  return { ...found, asked, urls: found.hits.map(({ url }) => new URL(url).pathname.slice(1)) }
}

const timeout: Reread = { kind: "unread", end: { kind: "failed", because: "timeout", detail: "" } }
const notFound: Reread = {
  kind: "gone",
  end: { kind: "failed", because: "http-status", detail: "answered 404", status: 404 },
}

test("reads only outdated pages again, and all pages if the age is 0", async () => {
  const hits = [pageAt("old"), pageAt("young", { fetchedAt: NOW })]
  const hourly = await young(hits)
  expect([hourly.asked, hourly.aged]).toEqual([["https://example.com/old"], []])
  expect(hourly.hits.map(({ fetchedAt }) => fetchedAt)).toEqual([NOW, NOW])
  expect(hourly.hits[0]!.passages).toEqual(hits[0]!.passages)
  expect((await young(hits, {}, { ...HOURLY, maxAgeMs: 0 })).asked).toHaveLength(2)
})

test("leaves out a page that cannot be read again, or returns it with its age", async () => {
  const hits = [pageAt("slow"), pageAt("blocked"), pageAt("fine")]
  const now = { slow: timeout, blocked: { kind: "refused", because: "its login failed" } } as const
  const strict = await young(hits, now)
  const since = `was left out: it was last checked at ${hits[0]!.fetchedAt.toISOString()} and could not be read again`
  expect([strict.urls, strict.aged]).toEqual([
    ["fine"],
    [
      {
        code: "left-out",
        url: "https://example.com/slow",
        text: `https://example.com/slow ${since}: the site took too long.`,
      },
      expect.objectContaining({ text: `https://example.com/blocked ${since}: its login failed.` }),
    ],
  ])
  const lenient = await young(hits, now, { ...HOURLY, fallsBack: true })
  expect(lenient.urls).toEqual(["slow", "blocked", "fine"])
  expect(lenient.aged.map(({ code }) => code)).toEqual(["stale", "stale"])
})

test("a page that is gone is left out, whatever the request falls back to", async () => {
  const { urls, aged } = await young(
    [pageAt("gone"), pageAt("here")],
    { gone: notFound },
    {
      ...HOURLY,
      fallsBack: true,
    },
  )
  expect([urls, aged]).toEqual([
    ["here"],
    [expect.objectContaining({ code: "left-out", text: expect.stringContaining("gone (answered 404)") })],
  ])
})

test("shows a changed page in its current state, ranked by what it still answers", async () => {
  const passages = [{ text: "A pump moves water by a wheel with blades.", headings: [], position: 0 }]
  const [better, worse] = [pageAt("a", { score: 0.9, passages }), pageAt("b", { score: 0.8, passages })]
  const { hits } = await young([better, worse], {
    a: rewritten(better, "# Lamps\n\nThese lamps are made of paper and light the garden path.", {
      title: "Lamps",
    }),
    b: rewritten(worse, "# Pumps\n\nToday a pump moves water by a wheel with blades, and fast."),
  })
  expect(hits.map(({ title }) => title)).toEqual(["Pumps", "Lamps"])
  expect(hits[0]).toMatchObject({ markdown: expect.stringContaining("Today a pump"), fetchedAt: NOW })
  expect(hits[0]!.passages.map(({ text }) => text)).toEqual([expect.stringContaining("Today a pump")])
  expect(hits[0]!.score).toBeLessThanOrEqual(0.8)
  expect(hits[1]!.score).toBeLessThan(hits[0]!.score)
})

test.each([
  ["no longer holds a quoted phrase", { filter: { phrases: ["wheel with blades"] } }],
  ["holds an excluded word", { text: "pump -paper" }],
  ["is in another language now", { filter: { languages: ["en"] } }],
  ["is too old for the dates", { filter: { publishedFrom: NOW, requirePublished: true } }],
])("a changed page that %s is left out", async (_, query) => {
  const given = { language: "de", publishedAt: new Date(0) }
  const one = pageAt("a")
  const { hits, aged } = await young([one], { a: rewritten(one, "A pump of paper.", given) }, HOURLY, query)
  expect([hits, aged[0]?.text]).toEqual([[], expect.stringContaining("no longer matches the request")])
})

test("shows a page once if it redirects to another hit", async () => {
  const [from, to] = [pageAt("from"), pageAt("to")]
  const { urls } = await young([from, to], { from: rewritten(from, "A pump moves water.", { url: to.url }) })
  expect(urls).toEqual(["to"])
})

test("reads at most twenty pages again per search, and none from another appliance", async () => {
  const own = Array.from({ length: 22 }, (_, i) => pageAt(`p${i}`))
  const { asked, aged } = await young([pageAt("theirs", { source: sourceOfPeer("north") }), ...own])
  expect(asked).toHaveLength(20)
  expect(aged.map(({ text }) => text.split(": ").at(-1))).toEqual([
    "the appliance north did not read it again.",
    "a search rereads at most 20 pages.",
    "a search rereads at most 20 pages.",
  ])
})
