import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { Frontier } from "./frontier.ts"
import type { FrontierEntry } from "./host-queues.ts"
import type { HostManners } from "../../fetch/hosts/host-paces.ts"
import { KnownAddresses } from "./known-addresses.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture } from "../../testing/crawl-fixture.ts"
import { statement } from "#base/store/testing/statement.ts"

const SOURCE = defineSource({ seeds: ["http://a/"] })

const frontierOf = (fixture: CrawlFixture, id: number, manners: () => HostManners, maxAddresses?: number) =>
  Frontier.open(fixture.db, { id, source: SOURCE }, new KnownAddresses(fixture.db), manners, maxAddresses)

const urls = (...list: string[]) => list as PageUrl[]
const BY_LINK = { how: "link", on: "http://a/", depth: 1 } as const
const taken = async (frontier: Frontier, now: number) => {
  const entries: FrontierEntry[] = []
  for (let entry = await frontier.next(now); entry; entry = await frontier.next(now)) entries.push(entry)
  return entries
}

test("a foreign host gets one visit at a time and a pause after it; hosts take turns", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const frontier = await frontierOf(fixture, id, () => ({ concurrency: 1, delayMs: 1000 }))
  await frontier.add(urls("http://a/1", "http://a/2", "http://b/1"), BY_LINK)
  const first = await taken(frontier, 0)
  expect(first.map(({ url }) => url)).toEqual(["http://a/1", "http://b/1"])
  for (const entry of first) frontier.release(entry, 500)
  expect(await frontier.hasNext(1499)).toBe(false)
  expect(await taken(frontier, 1499)).toEqual([])
  expect((await taken(frontier, 1500)).map(({ url }) => url)).toEqual(["http://a/2"])
})

test("a longer crawl-delay and a request to wait slow a host down", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const frontier = await frontierOf(fixture, id, () => ({ concurrency: 4, delayMs: 0 }))
  await frontier.add(urls("http://a/1", "http://a/2"), BY_LINK)
  const [one] = await taken(frontier, 0)
  if (!one) throw new Error("nothing to visit")
  frontier.setDelay(one, 5000)
  frontier.block(one, 9000)
  await frontier.postpone(one, 8000)
  expect(frontier.open).toBe(2)
  const again = await frontierOf(fixture, id, () => ({ concurrency: 4, delayMs: 0 }))
  expect((await taken(again, 7999)).map(({ url }) => url)).toEqual(["http://a/2"])
  expect(await taken(again, 8000)).toMatchObject([{ url: "http://a/1", tries: 1 }])
})

test("addresses without an outcome return after a loss, and those with one do not", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const frontier = await frontierOf(fixture, id, () => ({ concurrency: 9, delayMs: 0 }))
  expect(await frontier.add(urls("http://a/1", "http://a/2", "http://a/1"), BY_LINK)).toBe(2)
  expect(await frontier.add(urls("http://a/2"), BY_LINK)).toBe(0)
  await taken(frontier, 0)
  await frontier.record([{ url: "http://a/1" as PageUrl, outcome: "indexed", detail: null, hash: "h" }])
  const after = await frontierOf(fixture, id, () => ({ concurrency: 9, delayMs: 0 }))
  expect(after.open).toBe(1)
  expect((await taken(after, 0)).map(({ url }) => url)).toEqual(["http://a/2"])
  expect(await new KnownAddresses(fixture.db).hashOf("http://a/1" as PageUrl)).toBe("h")
  expect(await fixture.jobs.get(id)).toMatchObject({ queued: 1, outcomes: { indexed: 1 } })
})

test("a waiting job can be cancelled or paused, and the same crawl requested again continues", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  expect((await fixture.jobs.enqueue(SOURCE)).id).toBe(id)
  await fixture.jobs.pause(id)
  expect(await fixture.jobs.get(id)).toMatchObject({ state: "paused", endedAt: expect.any(Date) as unknown })
  expect(await fixture.jobs.enqueue(SOURCE)).toMatchObject({ id, state: "queued" })
  expect(await fixture.jobs.cancel(id)).toBe(true)
  expect(await fixture.jobs.start(id)).toBeNull()
  expect(await fixture.jobs.cancel(id)).toBe(false)
  expect((await fixture.jobs.enqueue(SOURCE)).id).not.toBe(id)
})

test("a job whose process died is queued again, but not forever", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  for (let crash = 1; crash < 5; crash += 1) {
    await fixture.jobs.start(id)
    await fixture.jobs.recover()
    expect((await fixture.jobs.get(id))?.state).toBe("queued")
  }
  await fixture.jobs.start(id)
  await fixture.jobs.recover()
  expect(await fixture.jobs.get(id)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("crashed repeatedly") as unknown,
  })
})

test("a finished job keeps its failures and nothing else of its frontier", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const frontier = await frontierOf(fixture, id, () => ({ concurrency: 9, delayMs: 0 }))
  const many = Array.from({ length: 5000 }, (_, index) => `http://a/${index}` as PageUrl)
  await frontier.add(urls(...many), BY_LINK)
  await frontier.record(many.slice(0, 10).map((url) => ({ url, outcome: "failed:dns", detail: null })))
  await fixture.jobs.end(id, "paused")
  expect((await fixture.jobs.get(id))?.queued).toBe(4990)
  await fixture.jobs.end(id, "finished")
  expect(await fixture.jobs.get(id)).toMatchObject({ queued: 0, outcomes: { "failed:dns": 10 } })
  expect(await fixture.jobs.failures(id, 100)).toHaveLength(10)
  expect(await statement(fixture.db, "select count(*) as n from crawl_url").get()).toEqual({ n: 10 })
})

test("a job that makes progress between the deaths of its process is not given up", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const frontier = await frontierOf(fixture, id, () => ({ concurrency: 9, delayMs: 0 }))
  for (let crash = 0; crash < 12; crash += 1) {
    await fixture.jobs.start(id)
    if (crash % 3 === 0) {
      const url = `http://a/${crash}` as PageUrl
      await frontier.record([{ url, outcome: "indexed", detail: null, hash: "h" }])
    }
    await fixture.jobs.recover()
    expect((await fixture.jobs.get(id))?.state).toBe("queued")
  }
})

test("no more addresses are taken than there is room for, and none that are too long", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const manners = () => ({ concurrency: 9, delayMs: 0 })
  const frontier = await frontierOf(fixture, id, manners, 1200)
  expect(await frontier.add(urls(`http://a/${"x".repeat(9000)}`), BY_LINK)).toBe(0)
  const many = Array.from({ length: 3000 }, (_, index) => `http://a/${index}`)
  expect(await frontier.add(urls(...many), BY_LINK)).toBe(1200)
  expect(frontier.open).toBe(1200)
  const again = await frontierOf(fixture, id, manners, 1200)
  expect(again.isFull).toBe(true)
  expect(await again.add(urls("http://a/more"), BY_LINK)).toBe(0)
})

test("a host that is given up keeps only the addresses handed out", async () => {
  await using fixture = await CrawlFixture.open()
  const { id } = await fixture.jobs.enqueue(SOURCE)
  const frontier = await frontierOf(fixture, id, () => ({ concurrency: 1, delayMs: 0 }))
  await frontier.add(urls("http://a/1", "http://a/2", "http://a/3", "http://b/1"), BY_LINK)
  const inHand = (await taken(frontier, 0)).map(({ url }) => url)
  await frontier.giveUp("a", "failed:refused", "a was given up")
  expect(inHand).toEqual(["http://a/1", "http://b/1"])
  expect(frontier.open).toBe(2)
  expect(await frontier.outcomeOf("http://a/3" as PageUrl)).toBe("failed:refused")
  expect(await fixture.jobs.get(id)).toMatchObject({ queued: 2, outcomes: { "failed:refused": 2 } })
})
