import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"
import { aPage } from "#engine/testing/pages.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { SEARCH_KEY, TEST_KEY } from "../../testing/serve-app.ts"
import { HOPS_HEADER } from "./hops.ts"
import { type Appliance, peerSpec, startAppliance, startImpostor } from "./testing/federated.ts"

// Appliances that ask each other over sockets.

const SCOPED = "scoped-key-of-a-peer"
const OF_ONE_PEER = "key-for-one-peer-alone"
const OF_A_DOMAIN = "key-for-one-domain-alone"
const OF_OWN_SOURCE = "key-for-own-pages-alone"

const about = (subject: string, n: number) =>
  `The ${subject} is serviced every ${n} months. Drain it, open the cover, and look at the ${subject} for wear. `.repeat(
    4,
  )
const page = (host: string, subject: string, n: number, source: string) =>
  aPage(`https://${host}/${subject.replaceAll(" ", "-")}-${n}`, {
    title: `Service of the ${subject} ${n}`,
    markdown: about(subject, n),
    source,
    language: "en",
  })

const header = (key: string, more: Record<string, string> = {}) => ({
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}`, ...more },
})
const urlsOf = (answer: { body: { results: { url: string }[] } }) => answer.body.results.map(({ url }) => url)

describe("five appliances", () => {
  const all: Appliance[] = []
  let asking: Appliance

  beforeAll(async () => {
    const subjects = ["gear box", "oil pump", "air filter", "fuel valve"]
    for (const [i, subject] of subjects.entries()) {
      const pages = [1, 2, 3].map((n) => page(`${i}.example.com`, subject, n, "manual"))
      all.push(
        await startAppliance({
          pages: [...pages, page("vault.example.org", subject, 9, "vault")],
          keys: { [SCOPED]: { scope: readScope({ sources: ["manual"] }) } },
          sourceNames: ["manual", "vault"],
        }),
      )
    }
    asking = await startAppliance({
      pages: [page("own.example.com", "oil pump", 7, "own"), page("own.example.com", "bearing", 1, "own")],
      sourceNames: ["own"],
      keys: {
        [OF_ONE_PEER]: { scope: readScope({ sources: ["peer/gears"] }) },
        [OF_A_DOMAIN]: { scope: readScope({ domains: ["1.example.com"] }) },
        [OF_OWN_SOURCE]: { scope: readScope({ sources: ["own"] }) },
      },
      peers: ["gears", "pumps", "filters", "valves"].map((name, i) => peerSpec(name, all[i]!.url, SCOPED)),
    })
  })

  afterAll(async () => {
    for (const one of [asking, ...all]) await one?.[Symbol.asyncDispose]()
  })

  test("answer one question from the pages of all, best first, and name the owner of each page", async () => {
    const answer = await asking.post("/search", { query: "oil pump service", max_results: 10 })
    expect(answer.status).toBe(200)
    const urls = urlsOf(answer)
    expect(urls.slice(0, 4).toSorted()).toEqual([
      "https://1.example.com/oil-pump-1",
      "https://1.example.com/oil-pump-2",
      "https://1.example.com/oil-pump-3",
      "https://own.example.com/oil-pump-7",
    ])
    for (const { url, peer } of answer.body.results)
      expect(peer).toBe(url.includes("//1.") ? "pumps" : url.includes("//own") ? undefined : peer)
    const scores: number[] = answer.body.results.map((one: { score: number }) => one.score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(answer.body.peers.map((one: { name: string; state: string }) => [one.name, one.state])).toEqual([
      ["gears", "answered"],
      ["pumps", "answered"],
      ["filters", "answered"],
      ["valves", "answered"],
    ])
  })

  test("rank as one index that has all pages", async () => {
    await using everything = await startAppliance({
      pages: [
        ...["gear box", "oil pump", "air filter", "fuel valve"].flatMap((subject, i) =>
          [1, 2, 3].map((n) => page(`${i}.example.com`, subject, n, "manual")),
        ),
        ...["gear box", "oil pump", "air filter", "fuel valve"].map((subject) =>
          page("vault.example.org", subject, 9, "vault"),
        ),
        page("own.example.com", "oil pump", 7, "own"),
        page("own.example.com", "bearing", 1, "own"),
      ],
    })
    // The keys reach all pages, so that all peers report their statistics; only one source of each peer is searched.
    await using federated = await startAppliance({
      pages: [page("own.example.com", "oil pump", 7, "own"), page("own.example.com", "bearing", 1, "own")],
      peers: all.map(({ url }, i) => peerSpec(`peer-${i}`, url, SEARCH_KEY, { sources: ["manual"] })),
    })
    for (const query of ["gear box cover", "fuel valve every 3 months", "wear of the air filter"]) {
      const asked = { query, max_results: 3, search_depth: "fast" }
      const one = await everything.post("/search", { ...asked, sources: ["manual", "own"] })
      const five = await federated.post("/search", asked)
      expect(urlsOf(five)).toEqual(urlsOf(one))
      for (const [i, { score }] of five.body.results.entries())
        expect(score).toBeCloseTo(one.body.results[i].score, 4)
    }
  })

  test("show no page outside the scope of a peer's key, whoever asks", async () => {
    for (const query of ["oil pump", "site:vault.example.org pump", "gear box service 9"]) {
      const answer = await asking.post("/search", { query, max_results: 50 })
      expect(JSON.stringify(answer.body)).not.toContain("//vault.example.org")
    }
  })

  test("show a key limited to one peer only that peer's pages, and a key for own sources no peer's", async () => {
    const one = await asking.post(
      "/search",
      {},
      {
        ...header(OF_ONE_PEER),
        body: JSON.stringify({ query: "gear box pump filter", max_results: 50 }),
      },
    )
    expect(new Set(one.body.results.map(({ peer }: { peer?: string }) => peer))).toEqual(new Set(["gears"]))
    const own = await asking.post(
      "/search",
      {},
      {
        ...header(OF_OWN_SOURCE),
        body: JSON.stringify({ query: "oil pump", max_results: 50 }),
      },
    )
    expect(urlsOf(own).every((url) => url.startsWith("https://own.example.com/"))).toBe(true)
    expect(own.body.peers).toBeUndefined()
  })

  test("show a key limited to a domain no other, from peers either", async () => {
    const answer = await asking.post(
      "/search",
      {},
      {
        ...header(OF_A_DOMAIN),
        body: JSON.stringify({ query: "service of the gear box and the oil pump", max_results: 50 }),
      },
    )
    expect(urlsOf(answer).length).toBeGreaterThan(0)
    expect(urlsOf(answer).every((url) => url.startsWith("https://1.example.com/"))).toBe(true)
  })

  test("apply filters to all, and let a peer be selected by name", async () => {
    const asked = { query: "service every months", max_results: 50 }
    const without = await asking.post("/search", {
      ...asked,
      exclude_domains: ["0.example.com", "own.example.com"],
    })
    expect(urlsOf(without).some((url) => /\/\/(?:0|own)\./.test(url))).toBe(false)
    const only = await asking.post("/search", { ...asked, include_domains: ["2.example.com"] })
    expect(new Set(urlsOf(only).map((url) => new URL(url).host))).toEqual(new Set(["2.example.com"]))
    const named = await asking.post("/search", { ...asked, sources: ["peer/valves"] })
    expect(new Set(named.body.results.map(({ peer }: { peer: string }) => peer))).toEqual(new Set(["valves"]))
    const dated = await asking.post("/search", {
      ...asked,
      time_range: "day",
      filter_by_published_date: true,
    })
    expect(dated.body.results).toEqual([])
    const wrong = await asking.post("/search", { ...asked, sources: ["peer/valve"] })
    expect(wrong.status).toBe(400)
    expect(wrong.body.detail.error).toContain("peer/valves")
  })

  test("count facets across all, with a peer's pages under its name", async () => {
    const answer = await asking.post("/search", { query: "oil pump", include_facets: ["source", "domain"] })
    const [sources, domains] = answer.body.facets
    const counts = Object.fromEntries(sources.values.map(({ value, count }: never) => [value, count]))
    expect(counts["own"]).toBeGreaterThan(0)
    expect(counts["peer/pumps"]).toBeGreaterThanOrEqual(3)
    expect(domains.values[0].value).toBe("example.com")
  })

  test("answer from the pages of all", async () => {
    const answer = await asking.post("/search", {
      query: "How often is the gear box serviced?",
      include_answer: true,
    })
    expect(answer.body.answer).toContain("gear box")
  })

  test("explain the rank of a peer's page like that of any other", async () => {
    const answer = await asking.post("/search", { query: "oil pump", explain: true })
    const theirs = answer.body.results.find(({ peer }: { peer?: string }) => peer === "pumps")
    expect(theirs.explain.lexical).toBeGreaterThan(0)
    expect(theirs.explain.fused).toBeGreaterThan(0)
  })

  test("do not warn about the local pages' language if a peer's page is in the question's language", async () => {
    const german = {
      ...page("9.example.com", "Getriebe", 1, "manual"),
      markdown: "Das Getriebe wird alle zwei Monate gewartet.",
      language: "de",
    }
    await using peer = await startAppliance({ pages: [german] })
    await using alone = await startAppliance({ pages: [page("own.example.com", "gear box", 1, "own")] })
    await using federated = await startAppliance({
      pages: [page("own.example.com", "gear box", 1, "own")],
      peers: [peerSpec("german", peer.url, SEARCH_KEY)],
    })
    const asked = { query: "wann und wie wird das Getriebe gewartet?" }
    expect((await alone.post("/search", asked)).body.warnings).toMatchObject([{ code: "language" }])
    const { body } = await federated.post("/search", asked)
    expect(body.results[0].peer).toBe("german")
    expect(body).not.toHaveProperty("warnings")
  })

  test("answer a forwarded question from the local index only", async () => {
    const answer = await asking.post(
      "/search",
      {},
      {
        ...header(SEARCH_KEY, { [HOPS_HEADER]: "1" }),
        body: JSON.stringify({ query: "oil pump", max_results: 50 }),
      },
    )
    expect(urlsOf(answer).every((url) => url.startsWith("https://own.example.com/"))).toBe(true)
  })

  test("report in the metrics how each peer answers", async () => {
    const response = await fetch(`${asking.url}/metrics`, {
      headers: { Authorization: `Bearer ${TEST_KEY}` },
    })
    const text = await response.text()
    expect(text).toContain('fossick_peer_up{peer="pumps"} 1')
    expect(text).toMatch(/fossick_peer_questions_total\{peer="pumps",state="answered"\} [1-9]/)
  })

  test("return word statistics only to keys that reach all pages", async () => {
    const asked = { query: "gear box", max_results: 0, include_word_statistics: true, include_usage: true }
    const told = await all[0]!.post("/search", asked)
    expect(told.body.word_statistics.pages).toBe(4)
    expect(told.body.word_statistics.words).toContainEqual({ word: "gear", pages: 4 })
    expect(told.body.usage).toEqual({ credits: 0 })
    const scoped = await all[0]!.post("/search", {}, { ...header(SCOPED), body: JSON.stringify(asked) })
    expect(scoped.status).toBe(200)
    expect(scoped.body.word_statistics).toBeUndefined()
  })

  test("wrong statistics are refused by name", async () => {
    const answer = await asking.post("/search", {
      query: "gear box",
      word_statistics: { pages: -1, words: [] },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.detail.error).toContain("word_statistics")
  })
})

describe("a peer that is", () => {
  const ours = [page("own.example.com", "oil pump", 1, "own")]
  const KEY = "secret-key-of-the-peer-0123"
  const asked = { query: "oil pump", max_results: 10 }
  const OURS = "https://own.example.com/oil-pump-1"

  test("dead loses only its own pages, is named, and is left alone", async () => {
    const gone = `http://127.0.0.1:${await freePort()}`
    await using app = await startAppliance({ pages: ours, peers: [peerSpec("gone", gone, KEY)] })
    const first = await app.post("/search", asked)
    expect(urlsOf(first)).toEqual([OURS])
    expect(first.body.peers).toEqual([
      { name: "gone", state: "failed", results: 0, because: "cannot be reached (ECONNREFUSED)" },
    ])
    const second = await app.post("/search", asked)
    expect(second.body.peers[0]).toMatchObject({ name: "gone", state: "resting" })
    expect(app.federation.warnings()[0]).toContain("gone")
    expect(app.peerLog.join("")).toContain("ECONNREFUSED")
    expect(app.peerLog.join("") + app.logLines.join("")).not.toContain(KEY)
  })

  test("slow is waited for until its time limit, and named", async () => {
    await using slow = await startImpostor(() => {})
    await using app = await startAppliance({
      pages: ours,
      peers: [peerSpec("slow", slow.url, KEY, { timeoutMs: 100 })],
    })
    const answer = await app.post("/search", asked)
    expect(urlsOf(answer)).toEqual([OURS])
    expect(answer.body.peers[0]).toMatchObject({ name: "slow", state: "late", results: 0 })
    expect(answer.body.degraded).toEqual(["peers"])
  })

  test("refusing our key is named, and the key is never logged", async () => {
    await using other = await startAppliance({ pages: [page("a.example.com", "oil pump", 2, "a")] })
    await using app = await startAppliance({ pages: ours, peers: [peerSpec("locked", other.url, KEY)] })
    const answer = await app.post("/search", asked)
    expect(urlsOf(answer)).toEqual([OURS])
    expect(answer.body.peers[0].because).toBe("answered 401: it does not accept our key for this")
    expect(app.peerLog.join("") + app.logLines.join("") + JSON.stringify(answer.body)).not.toContain(KEY)
  })

  test("in a network that nobody opened is not called", async () => {
    let calls = 0
    await using other = await startImpostor((_, answer) => {
      calls++
      answer.end("{}")
    })
    await using app = await startAppliance({
      pages: ours,
      peers: [peerSpec("near", other.url, KEY, { networks: [] })],
    })
    const answer = await app.post("/search", asked)
    expect(answer.body.peers[0].because).toBe("cannot be reached: its networks don't allow its address")
    expect(calls).toBe(0)
  })

  const json = (status: number, body: string, headers: Record<string, string> = {}) =>
    ({ status, body, headers: { "Content-Type": "application/json", ...headers } }) as const
  const LIES = {
    "no JSON": [json(200, "<html>"), "gave an answer that is not JSON"],
    "nested without end": [json(200, "[".repeat(6_000_000)), "nested more than 100 levels"],
    "of countless lists": [json(200, `[${"[],".repeat(2_000_000)}[]]`), "more than 100000 lists"],
    "of another shape": [json(200, '{"results":[{"url":1}]}'), "isn't from Fossick"],
    "too large": [json(200, `{"results":[],"x":"${"x".repeat(17_000_000)}"}`), "more than"],
    "a redirect to a private address": [json(307, "", { Location: "http://127.0.0.1:1/" }), "it redirects"],
    broken: [json(500, "{}"), "answered 500"],
  } as const
  test.each(Object.entries(LIES))(
    "sending false data (%s) loses only its own pages",
    async (_, [lie, because]) => {
      await using liar = await startImpostor((_request, answer) => {
        answer.writeHead(lie.status, lie.headers).end(lie.body)
      })
      await using app = await startAppliance({ pages: ours, peers: [peerSpec("liar", liar.url, KEY)] })
      const answer = await app.post("/search", asked)
      expect(urlsOf(answer)).toEqual([OURS])
      expect(answer.body.peers[0].because).toContain(because)
    },
  )

  test("hostile gets neither scripts nor unrequested pages into the results", async () => {
    await using other = await startAppliance({ pages: [page("a.example.com", "oil pump", 2, "a")] })
    const honest = await other.post("/search", {
      ...asked,
      include_evidence: true,
      include_raw_content: true,
    })
    const [result] = honest.body.results
    const evil = (url: string, more: object = {}) => ({
      ...result,
      url,
      title: "<script>alert(1)</script>",
      evidence: {
        ...result.evidence,
        favicon: "javascript:alert(1)",
        images: [{ url: "data:,x", description: null }],
        ...more,
      },
    })
    const body = JSON.stringify({
      ...honest.body,
      word_statistics: { pages: 1, words: [] },
      results: [
        evil("javascript:alert(1)"),
        evil("file:///etc/passwd"),
        evil("https://other.example.net/x"),
        evil("https://a.example.com/good"),
      ],
    })
    await using liar = await startImpostor((_request, answer) => {
      answer.writeHead(200, { "Content-Type": "application/json" }).end(body)
    })
    await using app = await startAppliance({ pages: ours, peers: [peerSpec("liar", liar.url, KEY)] })
    const answer = await app.post("/search", {
      ...asked,
      include_domains: ["example.com"],
      include_images: true,
      include_favicon: true,
    })
    expect(urlsOf(answer).toSorted()).toEqual(["https://a.example.com/good", OURS])
    expect(JSON.stringify(answer.body)).not.toMatch(/javascript:|data:,|file:/)
  })
})

describe("appliances in a circle", () => {
  test.each([1, 2])("stop when a question may be forwarded %i times", async (mostHops) => {
    const [a, b] = [await freePort(), await freePort()]
    const at = (port: number) => `http://127.0.0.1:${port}`
    await using first = await startAppliance({
      pages: [page("a.example.com", "oil pump", 1, "a")],
      peers: [peerSpec("b", at(b), SEARCH_KEY)],
      mostHops,
      port: a,
    })
    await using second = await startAppliance({
      pages: [page("b.example.com", "oil pump", 2, "b")],
      peers: [peerSpec("a", at(a), SEARCH_KEY)],
      mostHops,
      port: b,
    })
    const answer = await first.post("/search", { query: "oil pump", max_results: 10 })
    expect(urlsOf(answer).toSorted()).toEqual([
      "https://a.example.com/oil-pump-1",
      "https://b.example.com/oil-pump-2",
    ])
    // One request for statistics and one for the question: from a to b and, if two hops are allowed, from b back to a.
    expect(second.requests()).toBe(2)
    expect(first.requests()).toBeLessThanOrEqual(mostHops === 1 ? 1 : 4)
  })
})

test("a page of a peer is extracted by that peer", async () => {
  const found = page("a.example.com", "oil pump", 2, "a")
  await using other = await startAppliance({
    pages: [found],
    reader: {
      read: async () => ({ kind: "failed", because: "dns", detail: "only the peer says this" }),
      sitemap: async () => [],
      [Symbol.asyncDispose]: async () => {},
    },
  })
  await using app = await startAppliance({ pages: [], peers: [peerSpec("a", other.url, SEARCH_KEY)] })
  await app.post("/search", { query: "oil pump" })
  const before = other.requests()
  const answer = await app.post("/extract", { urls: [found.url, "https://elsewhere.example.com/"] })
  expect(other.requests()).toBe(before + 1)
  expect(answer.body.failed_results).toHaveLength(2)
})
