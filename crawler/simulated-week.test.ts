import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { runJob } from "./crawl/run-job.ts"
import { defineSource } from "./source.ts"
import { CrawlFixture, shareFor, testConfig } from "./testing/crawl-fixture.ts"
import { article, conditional, redirect, startTestSite, status, type TestSite } from "./testing/test-site.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 5)
const SECTIONS = ["harbour", "market", "valley", "orchard"]
const ARTICLES = 9

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A small newspaper: a front page that links its sections, which link their articles, and a feed of new articles. */
class Newspaper {
  readonly #texts = new Map<string, string>()
  readonly #heads = new Map<string, string>()
  readonly #others = new Map<string, Handler>()
  readonly #feed: string[] = []
  mood: "well" | "down" | "front page for everything" = "well"
  answers = { 200: 0, 304: 0, none: 0 }

  constructor() {
    for (const section of SECTIONS) {
      for (let number = 0; number < ARTICLES; number += 1) this.write(`/${section}/${number}`)
    }
  }

  /** Publishes an article, or another version of it. */
  write(path: string, edition = 1): void {
    this.#others.delete(path)
    this.#texts.set(
      path,
      `${sentence(path, edition)} ${sentence(edition, path)} ${sentence(path, path, edition)}`,
    )
  }

  announce(path: string): void {
    this.#feed.push(path)
  }

  hide(path: string): void {
    this.#heads.set(path, '<meta name="robots" content="noindex">')
  }

  drop(path: string, handler: Handler): void {
    this.#texts.delete(path)
    this.#others.set(path, handler)
  }

  /** The expected contents of the index: for each path, a part of the page's text. */
  get pages(): Map<string, string> {
    const articles = [...this.#texts].filter(([path]) => !this.#heads.has(path))
    const lists = ["/", ...SECTIONS.map((section) => `/${section}/`)]
    return new Map([...articles, ...lists.map((path) => [path, sentence(path)] as const)])
  }

  readonly serve: Handler = (request, response) => {
    const path = request.url ?? "/"
    const answer =
      this.mood === "down" ? undefined : this.#answer(this.mood === "well" ? path : this.#listOf(path))
    if (!answer) {
      this.answers.none += 1
      request.socket.destroy()
      return
    }
    response.on("finish", () => {
      if (response.statusCode === 200 || response.statusCode === 304) this.answers[response.statusCode] += 1
    })
    answer(request, response)
  }

  #listOf(path: string): string {
    return path === "/robots.txt" ? path : "/"
  }

  #answer(path: string): Handler {
    const other = this.#others.get(path)
    if (other) return other
    if (path === "/feed") {
      const items = this.#feed.map((one) => `<item><link>${one}</link></item>`).join("")
      return tagged(`<rss version="2.0"><channel>${items}</channel></rss>`, "application/rss+xml")
    }
    const section = SECTIONS.find((name) => path === `/${name}/`)
    const text = this.#texts.get(path) ?? (path === "/" || section ? sentence(path).repeat(2) : null)
    if (text === null) return status(404)
    const links =
      path === "/"
        ? SECTIONS.map((name) => `/${name}/`)
        : [...this.#texts.keys()].filter((one) => section && one.startsWith(`/${section}/`))
    const head = `${this.#heads.get(path) ?? ""}<link rel="alternate" type="application/rss+xml" href="/feed">`
    return tagged(article(path, { text, links, head }))
  }
}

const tagged = (body: string, type?: string): Handler =>
  conditional(body, { etag: `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"` }, type)

/** Thirty words in an order that occurs in no other text. */
function sentence(...seed: readonly (string | number)[]): string {
  const digest = createHash("sha512").update(JSON.stringify(seed)).digest()
  const words =
    "lantern meadow copper river thunder garden bridge silver winter candle mountain letter".split(" ")
  const said = Array.from({ length: 30 }, (_, at) => words[(digest[at] ?? 0) % words.length])
  return `${said.join(" ")} ${digest.toString("hex").slice(0, 8)}.`
}

/** The events, by day and hour. */
const EVENTS: readonly (readonly [at: number, what: (paper: Newspaper, site: TestSite) => void])[] = [
  [0.4 * DAY, (paper) => paper.write("/market/new-1")],
  [0.7 * DAY, (paper) => paper.write("/harbour/3", 2)],
  [
    1.1 * DAY,
    (paper) => {
      paper.drop("/valley/2", redirect("/valley/moved", 301))
      paper.write("/valley/moved")
    },
  ],
  [1.4 * DAY, (paper) => paper.drop("/orchard/4", status(404))],
  [1.8 * DAY, (paper) => paper.drop("/orchard/5", status(410))],
  [2 * DAY, (paper) => (paper.mood = "down")],
  [3 * DAY, (paper) => (paper.mood = "well")],
  [
    3.2 * DAY,
    (paper) => {
      paper.write("/harbour/new-2")
      paper.announce("/harbour/new-2")
    },
  ],
  [3.5 * DAY, (paper) => paper.hide("/market/7")],
  [4 * DAY, (paper) => (paper.mood = "front page for everything")],
  [5 * DAY, (paper) => (paper.mood = "well")],
  [5.2 * DAY, (paper) => paper.write("/orchard/4", 3)],
  [5.6 * DAY, (paper) => paper.write("/harbour/3", 3)],
  [5.7 * DAY, (paper) => paper.drop("/market/1", status(404))],
]
const RUN_EVERY = 8 * HOUR
/** The last event is followed by enough time for the longest interval, and for one more interval, for the second strike. */
const END = 7 * DAY

test("a week of a changing site, with a run every eight hours: index and site match at the end", async () => {
  const paper = new Newspaper()
  await using site = await startTestSite({ "*": paper.serve })
  await using fixture = await CrawlFixture.open()
  const source = defineSource({
    name: "newspaper",
    seeds: [site.url("/")],
    rendering: "http",
    revisit: { minHours: 7, maxHours: 24 },
  })
  const config = testConfig({ FOSSICK_RETRY_DELAY_MS: "1", FOSSICK_MAX_WAIT_MS: "5" })
  let now = START
  const held: { day: number; mood: string; removed: number }[] = []
  const events = [...EVENTS]
  for (let at = 0; at <= END; at += RUN_EVERY) {
    while (events[0] && events[0][0] <= at) events.shift()?.[1](paper, site)
    now = START + at
    const before = new Set(fixture.engine.pages.keys())
    const { id } = await fixture.jobs.enqueue(source, { trigger: "schedule", visits: "due" })
    const job = await runJob(id, {
      db: fixture.db,
      jobs: fixture.jobs,
      engine: fixture.engine,
      config,
      clock: () => (now += 1),
      signal: new AbortController().signal,
      whenAborted: "paused",
      share: shareFor(config),
    })
    expect(job).toMatchObject({ state: "finished" })
    const removed = [...before].filter((url) => !fixture.engine.pages.has(url)).length
    held.push({ day: at / DAY, mood: paper.mood, removed })
  }

  const shown = [...fixture.engine.pages.keys()].map((url) => new URL(url).pathname)
  const expected = paper.pages
  expect(new Set(shown)).toEqual(new Set(expected.keys()))
  for (const [path, text] of expected) {
    expect(fixture.engine.pages.get(site.url(path) as PageUrl)?.markdown).toContain(text)
  }
  expect(held.filter(({ mood, removed }) => mood !== "well" && removed > 0)).toEqual([])
  const pages = paper.pages.size
  const { 200: full, 304: spared } = paper.answers
  const total = site.requests.length
  console.log(
    `A week in ${held.length} runs over ${pages} pages: ${total} requests (${full} read, ${spared} not modified, ` +
      `${paper.answers.none} without an answer); visiting everything each time would have been ${held.length * pages}.`,
  )
  expect(full).toBeLessThan(held.length * pages * 0.4)
})
