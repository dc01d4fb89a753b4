import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { PageUrl } from "#engine"
import { DeletionGuard, steadyNow } from "#base/steady-time.ts"
import { detailOf } from "./crawl/judge/visit-outcome.ts"
import { Frontier } from "./crawl/frontier/frontier.ts"
import { ImageNotes } from "./upkeep/images/image-notes.ts"
import { ImageStore } from "./upkeep/images/image-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { KnownAddresses } from "./crawl/frontier/known-addresses.ts"
import { RobotsCache } from "./fetch/robots/robots.ts"
import { defineSource } from "./source.ts"
import { CrawlTasks } from "./sources/crawl-tasks.ts"
import { Sources } from "./sources/sources.ts"
import { CrawlFixture, testConfig } from "./testing/crawl-fixture.ts"
import { article, html, startTestSite, tooManyRequests } from "./testing/test-site.ts"
import { AlertBook } from "./reporting/alerts/alert-book.ts"
import { WebhookQueue } from "./reporting/webhooks/webhook-queue.ts"
import { GIVE_UP_MS } from "#base/work/retries.ts"
import { Ticker } from "./jobs/tasks/ticker.ts"

// Tests what happens when an administrator or a time server changes the wall clock while work is waiting until a
// certain time.

const HOUR = 3_600_000
const YEARS = 10 * 365 * 24 * HOUR
const NOW = Date.now()

const setClock = (by: number) => vi.setSystemTime(Date.now() + by)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each([
  ["back an hour", -HOUR],
  ["back ten years", -YEARS],
  ["forward an hour", HOUR],
  ["forward ten years", YEARS],
])("the clock set %s", (_, step) => {
  test("neither freezes a waiting crawl nor ends its politeness", async () => {
    let set = false
    const setOnce = () => {
      if (!set) setClock(step)
      set = true
    }
    const busy = tooManyRequests("1", 1, html(article("Busy")))
    let asked = 0
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/busy", "/flaky"] }),
      "/a": (request, response) => {
        // The clock changes in the middle of a pause between two requests.
        setTimeout(setOnce, 20)
        html(article("Alpha"))(request, response)
      },
      "/busy": busy,
      "/flaky": (request, response) => {
        asked += 1
        if (asked === 1) request.socket.destroy()
        else html(article("Flaky"))(request, response)
      },
    })
    await using fixture = await CrawlFixture.open()
    const config = testConfig({ FOSSICK_RETRY_DELAY_MS: "300" })
    const job = await fixture.crawl(
      { seeds: [site.origin], politeness: { concurrency: 1, delayMs: 50 } },
      { config },
    )
    expect(set).toBe(true)
    expect(job).toMatchObject({ state: "finished", outcomes: { indexed: 4 } })
  })

  test("does not make it fetch robots.txt again", async () => {
    let fetched = 0
    const robots = new RobotsCache("FossickBot", (url) => {
      fetched += 1
      const detail = "answered 500"
      return Promise.resolve({ kind: "failed", because: "http-status", detail, transient: true, url })
    })
    const url = "https://a.example/" as PageUrl
    await robots.for(url)
    setClock(step)
    await robots.for(url)
    expect(fetched).toBe(1)
  })

  test("keeps live processes alive and dead ones dead", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs } = fixture
    const { id } = await jobs.enqueue(defineSource({ seeds: ["https://a.example/"] }))
    await jobs.start(id)
    await jobs.crawlerBeat(1)
    setClock(step)
    expect(await jobs.hasCrawler()).toBe(false)
    expect((await jobs.get(id))?.state).toBe("queued")
    expect(await jobs.count({ state: "running" })).toBe(0)
    await jobs.crawlerBeat(2)
    await jobs.beat(id)
    expect(await jobs.hasCrawler()).toBe(true)
    expect((await jobs.get(id))?.state).toBe("running")
    expect(await jobs.isIdle()).toBe(false)
    setClock(-step)
    expect(await jobs.hasCrawler()).toBe(false)
  })

  test("deletes nothing because of its age within a day", () => {
    let passed = 0
    const guard = new DeletionGuard(Date.now, () => NOW + passed)
    expect(guard.mayDelete()).toBe(true)
    setClock(step)
    passed += HOUR
    setClock(HOUR)
    expect(guard.mayDelete()).toBe(false)
    // The glitch ends, which also changes the clock.
    setClock(-step)
    expect(guard.mayDelete()).toBe(false)
    passed += 24 * HOUR
    setClock(24 * HOUR)
    expect(guard.mayDelete()).toBe(true)
  })
})

describe("a clock error of ten years", () => {
  test.each([
    { schedule: "15 3 * * *", within: 24 * HOUR },
    { schedule: { cron: "15 3 * * *", jitterMinutes: 30 }, within: 24.5 * HOUR },
    { schedule: { everyHours: 6 }, within: 6 * HOUR },
  ])(
    "leaves no schedule $schedule in the future, whether run or created during it",
    async ({ schedule, within }) => {
      await using fixture = await CrawlFixture.open()
      const { db, jobs } = fixture
      const before = new Sources(db, jobs)
      const tickerOf = (sources: Sources) => new Ticker([new CrawlTasks(sources, jobs)])
      const running = tickerOf(before)
      await before.put({ name: "old", seeds: "a.example", schedule })
      await running.tick()
      for (const { id } of await jobs.list()) await jobs.cancel(id)
      setClock(YEARS)
      await before.put({ name: "new", seeds: "b.example", schedule })
      await running.tick()
      for (const { id } of await jobs.list()) await jobs.cancel(id)
      expect((await before.get("old"))?.nextRun?.getTime()).toBeGreaterThan(NOW + YEARS)

      // This holds in the same process, and in one started afterwards.
      setClock(-YEARS)
      for (const sources of [before, new Sources(db, jobs)]) {
        await (sources === before ? running : tickerOf(sources)).tick()
        for (const name of ["old", "new"]) {
          const next = (await sources.get(name))!.nextRun!.getTime()
          expect(next).toBeGreaterThan(Date.now())
          expect(next).toBeLessThanOrEqual(Date.now() + within)
        }
        // This is the state after the glitch, for the restarted process.
        if (sources === before) {
          await statement(
            db,
            "update source set next_run_at = next_run_at + ?, last_run_at = last_run_at + ?",
          ).run(YEARS, YEARS)
        }
      }
      setClock(within + 60_000)
      expect((await tickerOf(new Sources(db, jobs)).tick()).map(({ name }) => name)).toEqual(
        expect.arrayContaining(["new", "old"]),
      )
    },
  )

  test("leaves a correct schedule unchanged", async () => {
    await using fixture = await CrawlFixture.open()
    const chances = [0.9, 0.1, 0.1]
    const schedule = { cron: "15 3 * * *", jitterMinutes: 60 }
    const make = () => new Sources(fixture.db, fixture.jobs, Date.now, () => chances.shift() ?? 0)
    await make().put({ name: "docs", seeds: "a.example", schedule })
    const next = (await make().get("docs"))?.nextRun
    await new Ticker([new CrawlTasks(make(), fixture.jobs)], Date.now, () => chances.shift() ?? 0).tick()
    expect((await make().get("docs"))?.nextRun).toEqual(next)
  })

  test("hides no address from the next crawl or the next run", async () => {
    await using fixture = await CrawlFixture.open()
    const { db, jobs } = fixture
    const source = defineSource({ name: "docs", seeds: ["https://a.example/"] })
    const url = "https://a.example/" as PageUrl
    const job = await jobs.enqueue(source)
    const known = new KnownAddresses(db)
    const open = () => Frontier.open(db, job, known, () => ({ concurrency: 1, delayMs: 0 }), Infinity, HOUR)
    const frontier = await open()
    await frontier.add([url], { how: "seed", on: null, depth: 0 })
    const entry = (await frontier.next())!
    // A process started during the glitch postpones the work, since it counts time from then.
    await frontier.postpone(entry, Date.now() + YEARS)
    expect((await (await open()).next())?.url).toBe(url)

    setClock(YEARS)
    await known.record(job, [{ url, outcome: "indexed", detail: null, hash: "1" }])
    setClock(-YEARS)
    expect((await known.chunk("docs", -1, Date.now(), null)).addresses).toEqual([])
    await known.heal(source)
    expect((await known.chunk("docs", -1, Date.now(), null)).addresses).toMatchObject([{ url }])
  })

  test("does not stop images from being read", async () => {
    await using fixture = await CrawlFixture.open()
    const store = new ImageStore(fixture.db, fixture.folder)
    const image = { url: "https://a.example/a.png", description: null }
    const pages = [{ url: "https://a.example/" as PageUrl, images: [image], source: "docs" }]
    await new ImageNotes(fixture.db).note(pages)
    setClock(YEARS)
    await store.postpone((await store.nextUnread("a.example"))!, HOUR, "the site is down")
    expect(await store.hasWork()).toBe(false)
    setClock(-YEARS)
    expect(await store.hasWork()).toBe(true)
    expect(await store.unreadHosts()).toEqual(["a.example"])
    await store.recordFailure((await store.nextUnread("a.example"))!.id, "unreadable", "it is no image")
    expect(await store.hasWork()).toBe(false)
  })

  test("doesn't hold back webhook messages, and retries them for a day from then", async () => {
    await using fixture = await CrawlFixture.open()
    const queue = new WebhookQueue(fixture.db)
    const webhooks = [{ url: "https://hook.example/", events: ["finished" as const] }]
    setClock(YEARS)
    const { id } = await fixture.jobs.enqueue(defineSource({ seeds: ["https://a.example/"], webhooks }))
    await fixture.jobs.start(id)
    await fixture.jobs.end(id, "finished")
    await queue.collect()
    const [message] = await queue.due(new Set(), 10)
    const refused = {
      status: 500,
      error: "answered 500",
      final: false,
    } as const
    await queue.settle(message!.id, refused)
    expect(await queue.due(new Set(), 10)).toEqual([])
    setClock(-YEARS)
    expect(await queue.due(new Set(), 10)).toHaveLength(1)
    await queue.settle(message!.id, refused)
    expect(await queue.list({ limit: 1, offset: 0 })).toMatchObject([{ state: "waiting" }])
    expect(await queue.due(new Set(), 10)).toEqual([])
    setClock(GIVE_UP_MS)
    await queue.settle(message!.id, refused)
    expect(await queue.list({ limit: 1, offset: 0 })).toMatchObject([{ state: "given-up" }])
  })

  test("doesn't hold back alerts", async () => {
    await using fixture = await CrawlFixture.open()
    const mails = new AlertBook(fixture.db).outbox("email")
    const due = () => mails.due(new Set(), 10)
    setClock(YEARS)
    await mails.tell(["ops@example.com"], {
      type: "alert.test",
      subject: "docs",
      text: "The last run went wrong.",
      data: {},
    })
    await mails.settle((await due())[0]!.id, { error: "try later", status: null, final: false })
    expect(await due()).toEqual([])
    setClock(-YEARS)
    expect(await due()).toMatchObject([{ receiver: "ops@example.com" }])
  })
})

test("the retry time of a busy site is shown in wall-clock time", () => {
  const outcome = { kind: "postponed", until: new Date(steadyNow() + HOUR), status: 503 } as const
  setClock(YEARS)
  const [, told] = /^the site answered 503, until (\S+)$/.exec(detailOf(outcome) ?? "") ?? []
  expect(Math.abs(Date.parse(told ?? "") - Date.now() - HOUR)).toBeLessThan(HOUR / 2)
})
