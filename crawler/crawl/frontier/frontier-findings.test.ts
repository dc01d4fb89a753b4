import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { statement } from "#base/store/testing/statement.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { PageUrl } from "#engine"
import { HostPaces } from "../../fetch/hosts/host-paces.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { at, DAY, PAGE, sourceOf } from "../../testing/visited.ts"
import { Frontier, MAX_URL_CHARS } from "./frontier.ts"
import type { FrontierEntry } from "./host-queues.ts"
import { openCount, outcomesOf } from "./job-addresses.ts"
import { KnownAddresses } from "./known-addresses.ts"

const HOST = "site.example"
const NOTHING = { modifiedAt: null, publishedAt: null, isNews: false }
const BY_LINK = { how: "link", on: at("/"), depth: 2 } as const

/** One source, and the frontiers of its jobs. */
class Runs {
  now = 1000 * DAY
  readonly db = emptyState()
  readonly jobs = new Jobs(this.db)
  readonly known = new KnownAddresses(this.db, () => this.now)
  readonly source = sourceOf("site")
  readonly paces = new HostPaces()
  id = 0

  static async begin(): Promise<Runs> {
    const runs = new Runs()
    runs.id = (await runs.jobs.enqueue(runs.source)).id
    return runs
  }

  frontier({ most = Infinity, maxWaitMs = Infinity, id = this.id } = {}): Promise<Frontier> {
    const manners = () => ({ concurrency: 99, delayMs: 0 })
    return Frontier.open(
      this.db,
      { id, source: this.source },
      this.known,
      manners,
      most,
      maxWaitMs,
      this.paces,
    )
  }

  /** All addresses that a frontier hands out, as paths. */
  async taken(frontier: Frontier, now = 0): Promise<string[]> {
    const entries: FrontierEntry[] = []
    for (let entry = await frontier.next(now); entry; entry = await frontier.next(now)) entries.push(entry)
    return entries.map(({ url }) => new URL(url).pathname)
  }

  /** The frontier's own row for an address. */
  async row(path: string) {
    return await statement(this.db, "select * from crawl_url where job = ? and url = ?").get(
      this.id,
      at(path),
    )
  }
}

test("nearer addresses come first, then listed ones, then those left from earlier runs, in their order", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.revisit([
    { url: at("/left"), depth: 0 },
    { url: at("/left-later"), depth: 0 },
  ])
  await frontier.list([{ url: at("/listed"), ...NOTHING }], { how: "sitemap", on: at("/sitemap.xml") })
  await frontier.add([at("/far")], { ...BY_LINK, depth: 3 })
  await frontier.add([at("/near")], BY_LINK)
  expect(frontier.open).toBe(5)
  expect(await runs.taken(frontier)).toEqual(["/near", "/far", "/listed", "/left", "/left-later"])
})

test("addresses left from an earlier run come after new ones, even if a link leads to them, unless they are seeds", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.add([at("/linked")], BY_LINK)
  await frontier.add([at("/seed")], { how: "seed", on: null, depth: 0 })
  await frontier.add([at("/done")], BY_LINK)
  await frontier.record([{ url: at("/done"), ...PAGE, detail: null }])
  await frontier.revisit(["/linked", "/seed", "/done", "/left"].map((path) => ({ url: at(path), depth: 1 })))
  await frontier.add([at("/new")], BY_LINK)
  expect(frontier.open).toBe(4)
  expect(await runs.taken(frontier)).toEqual(["/seed", "/new", "/linked", "/left"])
  expect((await runs.row("/done"))?.["priority"]).toBe(0)
})

test("an address left from an earlier run can be found again nearer, but not further away", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier({ most: 3 })
  await frontier.revisit([{ url: at("/left"), depth: 5 }])
  expect(await runs.row("/left")).toMatchObject({ depth: 5, found_how: null, found_on: null, host: HOST })
  expect(await frontier.add([at("/left")], BY_LINK)).toBe(0)
  expect(await runs.row("/left")).toMatchObject({ depth: 2, found_how: "link", found_on: at("/") })
  await frontier.list([{ url: at("/left"), ...NOTHING }], { how: "feed", on: at("/feed") })
  expect(await runs.row("/left")).toMatchObject({ depth: 2, found_how: "link" })
  // Addresses left over from earlier runs do not use up the room for new ones.
  await frontier.revisit(["/1", "/2", "/3"].map((path) => ({ url: at(path), depth: 1 })))
  expect([
    frontier.isFull,
    await frontier.add(["/a", "/b", "/c", "/d"].map(at), BY_LINK),
    frontier.isFull,
  ]).toEqual([false, 3, true])
  await frontier.list([{ url: at("/e"), ...NOTHING }], { how: "feed", on: at("/feed") })
  expect([await runs.row("/e"), frontier.open]).toEqual([undefined, 7])
})

test("a list provides facts about its addresses, and the latest ones apply", async () => {
  const runs = await Runs.begin()
  await runs.known.record({ id: 99, source: runs.source }, [{ url: at("/known"), ...PAGE, detail: null }])
  const frontier = await runs.frontier()
  const facts = { modifiedAt: 5, publishedAt: 6, isNews: true }
  const sitemap = { how: "sitemap", on: at("/sitemap.xml") } as const
  const feed = { how: "feed", on: at("/feed") } as const
  await frontier.list(
    ["/a", "/known"].map((path) => ({ url: at(path), ...facts })),
    sitemap,
  )
  await frontier.list(
    ["/a", "/b"].map((path) => ({ url: at(path), ...NOTHING })),
    feed,
  )
  expect(await frontier.next(0)).toEqual({ url: at("/a"), host: HOST, depth: 1, tries: 0, facts })
  expect(await runs.row("/a")).toMatchObject({
    listed_in: at("/sitemap.xml"),
    found_how: "sitemap",
    found_on: at("/sitemap.xml"),
  })
  expect(await runs.row("/b")).toMatchObject({ listed_in: null, found_how: "feed", news: 0 })
  expect(await runs.known.get(at("/known"))).toMatchObject({ listedIn: at("/sitemap.xml"), ...facts })
  await frontier.list([{ url: at("/known"), modifiedAt: 7, publishedAt: 8, isNews: false }], feed)
  expect(await runs.known.get(at("/known"))).toMatchObject({
    listedIn: at("/sitemap.xml"),
    modifiedAt: 7,
    publishedAt: 8,
    isNews: true,
  })
  await frontier.list([{ url: at("/c"), ...NOTHING }], feed)
  expect([frontier.open, (await runs.row("/c"))?.["depth"]]).toEqual([4, 1])
  await frontier.record([{ url: at("/a"), ...PAGE, detail: null }])
  expect(await runs.known.get(at("/a"))).toMatchObject({
    ...facts,
    depth: 1,
    foundHow: "sitemap",
    listedIn: at("/sitemap.xml"),
  })
})

test("a list adds only due addresses among the known ones, and all new ones", async () => {
  const runs = await Runs.begin()
  for (const path of ["/due", "/not"])
    await runs.known.record({ id: 99, source: runs.source }, [{ url: at(path), ...PAGE, detail: null }])
  const frontier = await runs.frontier()
  await frontier.list(
    ["/due", "/not", "/new"].map((path) => ({ url: at(path), ...NOTHING, modifiedAt: 5 })),
    {
      how: "sitemap",
      on: at("/sitemap.xml"),
      isDue: ({ url }, { modifiedAt }) => url === at("/due") && modifiedAt === 5,
    },
  )
  expect(await runs.taken(frontier)).toEqual(["/due", "/new"])
  // The address is still listed.
  expect(await runs.known.get(at("/not"))).toMatchObject({ listedIn: at("/sitemap.xml"), modifiedAt: 5 })
})

test("whether a known address is due depends on what was known before the list, however long it is", async () => {
  const runs = await Runs.begin()
  await runs.known.record({ id: 99, source: runs.source }, [{ url: at("/0"), ...PAGE, detail: null }])
  const asked: unknown[] = []
  const frontier = await runs.frontier()
  await frontier.list(
    Array.from({ length: 1001 }, (_, index) => ({ url: at(`/${index}`), ...NOTHING, modifiedAt: 5 })),
    {
      how: "sitemap",
      on: at("/sitemap.xml"),
      isDue: ({ url, modifiedAt }) => asked.push([url, modifiedAt]) > 0,
    },
  )
  expect(asked).toEqual([[at("/0"), null]])
})

test("links add known addresses that are due, if only those are wanted", async () => {
  const runs = await Runs.begin()
  const visited = { ...PAGE, detail: null }
  await runs.known.record({ id: 99, source: runs.source }, [
    { url: at("/due"), ...visited },
    { url: at("/resting"), ...visited },
  ])
  await runs.known.record({ id: runs.id, source: runs.source }, [{ url: at("/of-this-run"), ...visited }])
  await runs.known.record({ id: 99, source: sourceOf("other") }, [{ url: at("/of-another"), ...visited }])
  await runs.known.makeDue(at("/due"), "site")
  const found = ["/due", "/resting", "/of-this-run", "/of-another", "/new"].map(at)
  const frontier = await runs.frontier()
  expect(await frontier.add(found, { ...BY_LINK, onlyDue: true })).toBe(4)
  expect(await runs.row("/resting")).toBeUndefined()
  runs.now += DAY
  const later = await runs.frontier()
  expect(await later.add([at("/resting")], { ...BY_LINK, onlyDue: true })).toBe(1)
  expect(await runs.taken(later)).toContain("/resting")
})

test("an address found by a link has no facts", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.add([at("/a")], BY_LINK)
  expect(await frontier.next(0)).toEqual({ url: at("/a"), host: HOST, depth: 2, tries: 0, facts: NOTHING })
})

test("an address is stored up to the maximum length, in the spelling that was added", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  const longest = at("/").padEnd(MAX_URL_CHARS, "x") as PageUrl
  expect(await frontier.add([longest, `${longest}x` as PageUrl], BY_LINK)).toBe(1)
  expect([
    frontier.remembers(longest),
    frontier.remembers(`${longest}x`),
    frontier.remembers(at("/")),
  ]).toEqual([true, false, false])
  const listing = await runs.frontier({ id: (await runs.jobs.enqueue(sourceOf("other"))).id })
  const listed = [`${longest}x`, longest].map((url) => ({ url: url as PageUrl, ...NOTHING }))
  await listing.list(listed, { how: "sitemap", on: at("/sitemap.xml") })
  expect([listing.open, (await listing.next(0))?.url]).toEqual([1, longest])
})

test("many rows are added completely", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  const many = (name: string) => Array.from({ length: 1001 }, (_, index) => at(`/${name}/${index}`))
  expect(await frontier.add(many("linked"), BY_LINK)).toBe(1001)
  await frontier.list(
    many("listed").map((url) => ({ url, ...NOTHING })),
    { how: "sitemap", on: at("/sitemap.xml") },
  )
  await frontier.revisit(many("left").map((url) => ({ url, depth: 1 })))
  expect(frontier.open).toBe(3003)
  expect(new Set(await runs.taken(frontier)).size).toBe(99)
  await frontier.giveUp(HOST, "failed:refused", "it was given up")
  expect([frontier.open, await outcomesOf(runs.db, runs.id)]).toEqual([99, { "failed:refused": 2904 }])
  // Each of the addresses was missed once.
  expect(await runs.known.get(at("/left/0"))).toMatchObject({ outcome: "failed:refused", misses: 1 })
})

test("others may write to the store after each thousand addresses", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  const { db } = runs
  const written: number[] = []
  const transaction = db.transaction.bind(db)
  db.transaction = async (work) => {
    const result = await transaction(work)
    written.push(await openCount(db, runs.id))
    return result
  }
  const many = Array.from({ length: 2001 }, (_, index) => at(`/${index}`))
  await frontier.add(many, BY_LINK)
  expect(written).toEqual([1000, 2000, 2001])
})

test("new addresses wake a frontier that had nothing to hand out", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  const found = (path: string) => [{ url: at(path), depth: 1, ...NOTHING }]
  const ways: readonly (() => Promise<unknown>)[] = [
    () => frontier.add([at("/linked")], BY_LINK),
    () => frontier.list(found("/listed"), { how: "feed", on: at("/feed") }),
    () => frontier.revisit(found("/left")),
    () => frontier.reopen([at("/linked")]),
  ]
  for (const [index, come] of ways.entries()) {
    expect([index, await frontier.next(5), await frontier.hasNext(5), frontier.freeAt(5)]).toEqual([
      index,
      null,
      false,
      Infinity,
    ])
    await come()
    expect([index, frontier.freeAt(5), await frontier.hasNext(5)]).toEqual([index, 5, true])
    const entry = (await frontier.next(5))!
    frontier.release(entry, 5)
    expect(frontier.isOpen(entry)).toBe(true)
    await frontier.record([{ url: entry.url, ...PAGE, detail: null }])
    expect([frontier.isOpen(entry), frontier.open, frontier.handedOut]).toEqual([false, 0, 0])
  }
})

test("an outcome is recorded once, including for addresses never found, and can be corrected", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  const counts = () => outcomesOf(runs.db, runs.id)
  await frontier.add(["/a", "/b"].map(at), BY_LINK)
  await frontier.record([
    { url: at("/a"), ...PAGE, detail: null },
    {
      url: at("/target"),
      ...PAGE,
      detail: "led to",
      found: { ...NOTHING, depth: 4, how: "redirect", on: at("/a"), listedIn: null },
    },
  ])
  expect([frontier.open, await counts()]).toEqual([1, { indexed: 2 }])
  expect(await runs.row("/target")).toMatchObject({
    host: HOST,
    depth: 4,
    found_how: "redirect",
    found_on: at("/a"),
    outcome: "indexed",
    detail: "led to",
  })
  expect(await runs.known.get(at("/a"))).toMatchObject({ depth: 2, foundHow: "link", foundOn: at("/") })
  expect(await runs.known.get(at("/target"))).toMatchObject({
    depth: 4,
    foundHow: "redirect",
    foundOn: at("/a"),
  })
  await frontier.record([{ url: at("/a"), ...PAGE, detail: "again" }])
  expect([await counts(), (await runs.row("/a"))?.["detail"]]).toEqual([{ indexed: 2 }, null])
  await frontier.record([{ url: at("/a"), outcome: "skipped:duplicate", detail: "of another" }])
  expect([await counts(), (await runs.row("/a"))?.["detail"]]).toEqual([
    { indexed: 1, "skipped:duplicate": 1 },
    "of another",
  ])
  await frontier.record([{ url: at("/target"), outcome: "skipped:duplicate", detail: null }])
  expect([await counts(), frontier.open]).toEqual([{ "skipped:duplicate": 2 }, 1])
  expect([
    await frontier.outcomeOf(at("/a")),
    await frontier.outcomeOf(at("/b")),
    await frontier.outcomeOf(at("/none")),
  ]).toEqual(["skipped:duplicate", null, null])
})

test("reopened addresses are no longer counted, and those that were not closed stay unchanged", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.add(["/a", "/b", "/open"].map(at), BY_LINK)
  await frontier.record(
    ["/a", "/b"].map((path) => ({ url: at(path), outcome: "skipped:trap", detail: "a trap" }) as const),
  )
  await frontier.reopen([])
  await frontier.reopen(["/a", "/open", "/none"].map(at))
  expect([frontier.open, await outcomesOf(runs.db, runs.id), (await runs.row("/a"))?.["detail"]]).toEqual([
    2,
    { "skipped:trap": 1 },
    null,
  ])
  await frontier.reopen([at("/b")])
  expect([frontier.open, await outcomesOf(runs.db, runs.id)]).toEqual([3, {}])
  expect((await runs.taken(frontier)).sort()).toEqual(["/a", "/b", "/open"])
})

test("a waiting address is retried at its time, and never later than a run may postpone it", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.add(["/a", "/b"].map(at), BY_LINK)
  const [a, b] = [(await frontier.next(0))!, (await frontier.next(0))!]
  for (const entry of [a, b]) frontier.release(entry, 0)
  const now = steadyNow()
  await frontier.postpone(a, now + 1_000_000)
  await frontier.postpone(b, now + 90_000_000, 7)
  expect([await frontier.nextDue(HOST, 0), await frontier.nextDue(HOST, now + 1_000_000)]).toEqual([
    now + 1_000_000,
    now + 90_000_000,
  ])
  expect([await frontier.nextDue("else", 0), await frontier.nextDue(HOST, now + 90_000_000)]).toEqual([
    Infinity,
    Infinity,
  ])
  expect([frontier.handedOut, frontier.isOpen(a), await frontier.next(now)]).toEqual([0, false, null])
  expect(await frontier.next(now + 1_000_000)).toMatchObject({ url: a.url, tries: 1 })
  expect(await frontier.next(now + 90_000_000)).toMatchObject({ url: b.url, tries: 7 })
  // The clock was ahead when the second address was postponed.
  const again = await runs.frontier({ maxWaitMs: 3_600_000 })
  expect(await again.next(now)).toMatchObject({ url: b.url, tries: 7 })
  expect(await again.next(now)).toBeNull()
  expect(await again.next(now + 1_000_000)).toMatchObject({ url: a.url, tries: 1 })
})

test("a resumed frontier knows the open addresses of its own job", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.add(["/a", "/b"].map(at), BY_LINK)
  await frontier.add(["http://else.example/" as PageUrl], BY_LINK)
  await frontier.revisit([{ url: at("/left"), depth: 1 }])
  await frontier.record([{ url: at("/b"), ...PAGE, detail: null }])
  const again = await runs.frontier({ most: 4 })
  expect([again.open, again.isFull, await again.add(["/c", "/d"].map(at), BY_LINK), again.isFull]).toEqual([
    3,
    false,
    1,
    true,
  ])
  expect((await runs.taken(again)).sort()).toEqual(["/", "/a", "/c", "/left"])
  const other = await runs.frontier({ id: (await runs.jobs.enqueue(sourceOf("other"))).id })
  expect([other.open, other.isFull, await other.next(0), other.remembers(at("/a"))]).toEqual([
    0,
    false,
    null,
    false,
  ])
})

test("a frontier that is disposed of leaves its hosts to others", async () => {
  const runs = await Runs.begin()
  const frontier = await runs.frontier()
  await frontier.add([at("/")], BY_LINK)
  const entry = (await frontier.next(0))!
  frontier.setDelay(entry, 40)
  expect(frontier.delayOf(entry)).toBe(40)
  frontier.drop(entry, 0)
  frontier.block(entry, 500)
  expect([await frontier.hasNext(499), frontier.freeAt(100)]).toEqual([false, 500])
  const pace = runs.paces.of(HOST)
  frontier[Symbol.dispose]()
  expect(pace.isQuiet(500)).toBe(true)
})
