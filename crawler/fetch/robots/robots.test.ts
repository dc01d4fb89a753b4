import { afterEach, expect, test, vi } from "vitest"
import type { PageUrl } from "#engine"
import { cacheUses } from "#base/flow/memory/cache-memory.ts"
import type { FetchResult } from "../fetch.ts"
import { RobotsCache } from "./robots.ts"

const page = (url: string) => url as PageUrl
const rules = (url: PageUrl, text: string): FetchResult => ({
  kind: "fetched",
  url,
  status: 200,
  headers: {},
  body: new Uint8Array(Buffer.from(text)),
})
const failed = (more: Partial<Extract<FetchResult, { kind: "failed" }>>): FetchResult => ({
  kind: "failed",
  because: "http-status",
  detail: "",
  transient: false,
  ...more,
})

/** A cache for sites that give this answer, and the addresses that were requested. */
function cacheOf(answer: (url: PageUrl) => FetchResult) {
  const asked: string[] = []
  const cache = new RobotsCache("FossickBot", async (url) => {
    asked.push(url)
    return answer(url)
  })
  const mayVisit = async (url: string) => {
    const found = await cache.for(page(url))
    return found.kind === "rules" ? found.rules.allows(url) : found.kind
  }
  return { cache, asked, mayVisit }
}

afterEach(() => {
  vi.useRealTimers()
})

test("robots.txt is fetched once per site, by scheme and port, however many ask", async () => {
  const { cache, asked, mayVisit } = cacheOf((url) =>
    rules(url, "User-agent: FossickBot\nDisallow: /private"),
  )
  expect(cache.has(page("https://a.example/x"))).toBe(false)
  const both = await Promise.all([mayVisit("https://a.example/x"), mayVisit("https://a.example/private/y")])
  expect(both).toEqual([true, false])
  expect(cache.has(page("https://a.example/z"))).toBe(true)
  expect(cache.has(page("http://a.example/z"))).toBe(false)
  await mayVisit("http://a.example/")
  await mayVisit("https://a.example:8443/")
  expect(asked).toEqual([
    "https://a.example/robots.txt",
    "http://a.example/robots.txt",
    "https://a.example:8443/robots.txt",
  ])
})

test.each<readonly [string, FetchResult, unknown]>([
  ["is missing (RFC 9309 §2.3.1.3)", failed({ detail: "the site answered 404", status: 404 }), true],
  ["is denied", failed({ detail: "the site answered 403", status: 403 }), true],
  ["redirects in a loop", failed({ because: "redirect-loop" }), true],
  ["is a picture", { kind: "skipped", because: "unsupported-type", detail: "image/png" }, true],
  ["is not even sent", failed({ because: "refused", transient: true }), "failed"],
  ["is behind a name that is unknown", failed({ because: "dns" }), "failed"],
  [
    "leads to no page",
    failed({ detail: 'redirects to "mailto:answered 404@a.example", which isn\'t an http or https address' }),
    "failed",
  ],
  ["is no valid answer", failed({ detail: "invalid HTTP answer: Parse Error" }), "failed"],
  ["is broken on the site (§2.3.1.4)", failed({ transient: true, status: 500 }), "postponed"],
  ["is to come later", { kind: "postponed", until: new Date(0), status: 503 }, "postponed"],
])("a site whose robots.txt %s may be visited, or not, or not now", async (_, answer, mayVisit) => {
  expect(await cacheOf(() => answer).mayVisit("https://a.example/x")).toBe(mayVisit)
})

test("rules work in any encoding an editor saved them in", async () => {
  const text = "User-agent: *\nDisallow: /größe"
  const saved: Readonly<Record<string, Buffer>> = {
    "https://utf8.example": Buffer.from(text),
    "https://latin1.example": Buffer.from(text, "latin1"),
    "https://unicode.example": Buffer.from(`\ufeff${text}`, "utf16le"),
  }
  const { mayVisit } = cacheOf(
    (url) => ({ ...rules(url, ""), body: saved[new URL(url).origin]! }) as FetchResult,
  )
  for (const site of Object.keys(saved)) {
    expect([site, await mayVisit(`${site}/gr%C3%B6%C3%9Fe`), await mayVisit(`${site}/`)]).toEqual([
      site,
      false,
      true,
    ])
  }
})

test("a broken robots.txt is fetched again after a minute, and reported by its status", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] })
  const site: { answer: FetchResult } = { answer: failed({ transient: true, status: 502 }) }
  const { cache, asked, mayVisit } = cacheOf((url) => (asked.length > 1 ? rules(url, "") : site.answer))
  const found = await cache.for(page("https://a.example/"))
  expect(found).toEqual({ kind: "postponed", status: 502, until: expect.any(Date) })
  const wait = (found as { until: Date }).until.getTime() - (performance.timeOrigin + performance.now())
  expect(Math.round(wait / 1000)).toBe(60)
  vi.advanceTimersByTime(59_000)
  expect(cache.has(page("https://a.example/"))).toBe(true)
  expect(await mayVisit("https://a.example/")).toBe("postponed")
  expect(asked).toHaveLength(1)
  vi.advanceTimersByTime(2000)
  expect(cache.has(page("https://a.example/"))).toBe(false)
  expect(await mayVisit("https://a.example/")).toBe(true)
  expect(asked).toHaveLength(2)
  // If the failure has no status, the answer has none either.
  site.answer = failed({ transient: true })
  const silent = await cacheOf(() => site.answer).cache.for(page("https://b.example/"))
  expect("status" in silent).toBe(false)
})

test.each(["refused", "dns", "blocked-address"] as const)(
  "a host that could not be reached (%s) is retried on the next visit",
  async (because) => {
    const { cache, asked, mayVisit } = cacheOf((url) =>
      asked.length > 1 ? rules(url, "") : failed({ because, transient: true }),
    )
    const both = await Promise.all([mayVisit("https://a.example/x"), mayVisit("https://a.example/y")])
    expect(both).toEqual(["failed", "failed"])
    expect(asked).toHaveLength(1)
    expect(cache.has(page("https://a.example/"))).toBe(false)
    expect(await mayVisit("https://a.example/x")).toBe(true)
    expect(asked).toHaveLength(2)
  },
)

test("rules are kept for a day, and no longer (§2.4)", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] })
  const { asked, mayVisit } = cacheOf((url) =>
    rules(url, asked.length > 1 ? "User-agent: *\nDisallow: /" : ""),
  )
  expect(await mayVisit("https://a.example/")).toBe(true)
  vi.advanceTimersByTime(23 * 3_600_000 + 59 * 60_000)
  expect(await mayVisit("https://a.example/")).toBe(true)
  vi.advanceTimersByTime(2 * 60_000)
  expect(await mayVisit("https://a.example/")).toBe(false)
  expect(asked).toHaveLength(2)
})

test("with very many sites, the oldest is forgotten first", async () => {
  const { cache, mayVisit } = cacheOf((url) => rules(url, ""))
  for (let site = 0; site <= 1000; site++) await mayVisit(`https://s${site}.example/`)
  const known = (site: number) => cache.has(page(`https://s${site}.example/`))
  expect([known(0), known(1), known(999), known(1000)]).toEqual([false, true, true, true])
})

test("an answer that arrives after its site was forgotten does not bring it back", async () => {
  const late = Promise.withResolvers<FetchResult>()
  const cache = new RobotsCache("FossickBot", (url) =>
    url.includes("late") ? late.promise : Promise.resolve(rules(url, "")),
  )
  const waiting = cache.for(page("https://late.example/"))
  for (let site = 0; site <= 1000; site++) await cache.for(page(`https://s${site}.example/`))
  late.resolve(rules(page("https://late.example/robots.txt"), "# much\n".repeat(2000)))
  expect(await waiting).toMatchObject({ kind: "rules" })
  expect(cache.has(page("https://late.example/"))).toBe(false)
  expect(cache.has(page("https://s1000.example/"))).toBe(true)
})

test("the memory for rules is listed among the caches", () => {
  expect(cacheUses().get("robots")).toMatchObject({ total: 8_200_000 })
})

test("long files displace many short ones", async () => {
  const long = `User-agent: *\n${"# nothing of interest\n".repeat(22_000)}Disallow: /`
  const { cache, mayVisit } = cacheOf((url) => rules(url, url.includes("long") ? long : ""))
  const known = (site: string) => cache.has(page(`https://${site}.example/`))
  await mayVisit("https://short.example/")
  for (let site = 0; site < 5; site++) expect(await mayVisit(`https://long${site}.example/`)).toBe(false)
  expect([known("short"), known("long0")]).toEqual([true, true])
  await mayVisit("https://long5.example/")
  // The site that was requested least recently is evicted.
  expect([known("short"), known("long0"), known("long1"), known("long5")]).toEqual([true, true, false, true])
})
