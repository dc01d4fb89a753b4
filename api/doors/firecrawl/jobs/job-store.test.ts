import { pino } from "pino"
import { describe, expect, test } from "vitest"

import type { ReadResult } from "#crawler"
import type { PageUrl } from "#engine"
import { crawlerSettings } from "#crawler/settings.ts"
import { readSettings } from "#base/settings.ts"

import { openAccounts } from "../../../identity/accounts/accounts.ts"
import type { Reach } from "../../../identity/accounts/reach/reach.ts"
import { apiSettings } from "../../../settings.ts"
import { memoryState, NO_PAGES } from "../../../testing/serve-app.ts"
import { FieldReader } from "../../../server/wire/fields.ts"
import { openFirecrawlJobs } from "../open-firecrawl.ts"
import { readBatch } from "./crawl-request.ts"
import { RESTARTED } from "./job-store.ts"
import { statement } from "#base/store/testing/statement.ts"

const ADDRESS = "https://example.com/a" as PageUrl

/** Creates jobs over in-memory accounts, using the store of an earlier process if one is given. */
async function opened(db = memoryState(), crawlJobsMb = 1024) {
  const config = { ...readSettings(apiSettings, {}), crawlJobsMb }
  const accounts = await openAccounts(db, config, () => {})
  const log = pino({ level: "silent" })
  const jobs = await openFirecrawlJobs(db, config, {
    accounts,
    knowledge: NO_PAGES,
    chatModel: null,
    sending: readSettings(crawlerSettings, {}),
    userAgent: "test",
    log,
    turnMs: 0,
  })
  const key = (await accounts.keys.verify(await accounts.keys.create({ role: "search" })))!
  const owner = { keyId: key.id, project: "", session: "", human: "" }
  const { request } = readBatch(new FieldReader({ urls: [ADDRESS] }), 2)
  return { db, accounts, jobs, key, owner, request }
}

describe("a job that was under way when its process ended", () => {
  test("counts as failed, and keeps its results", async () => {
    const { db, jobs, owner, request } = await opened()
    await jobs.store.add("1", owner, request, new Date())
    await jobs.store.begin(new Date())
    await jobs.store.addDocument((await jobs.store.get("1"))!, ADDRESS, { metadata: {}, markdown: "found" })
    const next = await opened(db)
    await next.jobs.store.recover(new Date())
    expect(await next.jobs.store.get("1")).toMatchObject({ state: "failed", error: RESTARTED, completed: 1 })
    const [document] = (await Array.fromAsync(next.jobs.store.documents("1", 0))).map(
      ({ text }) => JSON.parse(text) as unknown,
    )
    expect(document).toEqual({ metadata: {}, markdown: "found" })
  })

  test("is forgotten with its documents", async () => {
    const { jobs, owner, request } = await opened()
    await jobs.store.add("1", owner, request, new Date())
    await jobs.store.begin(new Date())
    await jobs.store.addDocument((await jobs.store.get("1"))!, ADDRESS, { metadata: {} })
    await jobs.store.recover(new Date(1000))
    await jobs.store.forget(new Date(1001))
    expect([await jobs.store.get("1"), (await jobs.store.stored.all()).entries]).toEqual([null, 0])
  })
})

test("stored job data is limited, with a quarter of it for one key", async () => {
  const { jobs, owner, key, request } = await opened(undefined, 4)
  await jobs.store.add("1", owner, request, new Date())
  await jobs.store.begin(new Date())
  const job = (await jobs.store.get("1"))!
  await jobs.store.addDocument(job, ADDRESS, { metadata: {}, markdown: "x".repeat(900_000) })
  expect(await jobs.store.hasRoom(key.id)).toBe(true)
  await jobs.store.addDocument(job, ADDRESS, { metadata: {}, markdown: "x".repeat(200_000) })
  expect([await jobs.store.hasRoom(key.id), await jobs.store.hasRoom("another")]).toEqual([false, true])
})

test("keys take turns, and waiting jobs are counted per key and in total", async () => {
  const { jobs, owner, key, request } = await opened()
  const { store } = jobs
  const add = (id: string, keyId: string, at: number) =>
    store.add(id, { ...owner, keyId }, request, new Date(at))
  for (const at of [1, 2, 3, 4]) await add(`many ${at}`, key.id, at)
  await add("one", "another", 5)
  expect((await store.begin(new Date(10)))?.id).toBe("many 1")
  expect(await store.waitingCounts(key.id)).toEqual({ all: 4, ofKey: 3 })
  expect((await store.open(key.id)).map(({ id }) => id)).toEqual(["many 1", "many 2", "many 3", "many 4"])
  // The next turn goes to the key with the fewest active jobs.
  expect([await store.turns.isOwed(key.id), await store.turns.isOwed("another")]).toEqual([true, false])
  expect((await store.begin(new Date(11)))?.id).toBe("one")
  expect(await store.turns.isOwed(key.id)).toBe(false)
  // Among keys with the same number of active jobs, the next turn goes to the key whose last turn began longest ago,
  // even though that key's job came later.
  for (const id of ["many 1", "one"])
    await store.end(id, { state: "completed", credits: 0, error: null }, new Date(12))
  await add("new", "another", 13)
  const next = [
    await store.begin(new Date(14)),
    await store.begin(new Date(15)),
    await store.begin(new Date(16)),
  ]
  expect(next.map((job) => job?.id)).toEqual(["many 2", "new", "many 3"])
})

test("a job that yields waits with its remaining work, resumes, and reports its start once", async () => {
  const { jobs, db, owner, key, request } = await opened()
  const { store } = jobs
  await store.add("1", owner, request, new Date(1))
  const first = (await store.begin(new Date(2)))!
  expect(first).toMatchObject({ frontier: null, begunAt: new Date(2) })
  await store.addDocument(first, ADDRESS, { metadata: {} })
  await store.giveWay(first, { kind: "batch", left: 7 })
  expect(await store.get("1")).toMatchObject({ state: "waiting", completed: 1, endedAt: null })
  // The remaining work counts toward its key's storage, and outlives the process.
  const frontiers = () =>
    statement(db, "select entries from stored_use where store = 'firecrawl_frontier' and key_id = ?").get(
      key.id,
    )
  expect(await frontiers()).toEqual({ entries: 1 })
  await (await opened(db)).jobs.store.recover(new Date(3))
  const again = (await (await opened(db)).jobs.store.begin(new Date(4)))!
  expect(again).toMatchObject({ id: "1", frontier: { kind: "batch", left: 7 }, begunAt: new Date(2) })
  expect(await frontiers()).toBe(undefined)
  // A job that is cancelled while it is waiting leaves no stored work behind.
  await store.giveWay(again, { kind: "batch", left: 6 })
  await store.end("1", { state: "cancelled", credits: 1, error: null }, new Date(5))
  expect(await frontiers()).toBe(undefined)
  await store.giveWay(again, { kind: "batch", left: 6 })
  expect([(await store.get("1"))!.state, await frontiers()]).toEqual(["cancelled", undefined])
})

describe("four slow jobs of one key", () => {
  const PAGES = 30
  const addresses = (of: string, count: number) =>
    Array.from({ length: count }, (_, page) => `https://example.com/${of}/${page}`)
  const batch = (of: string, count: number) =>
    readBatch(new FieldReader({ urls: addresses(of, count) }), 2).request

  test("yield to another key's, and read each of their pages once in the end", async () => {
    const { accounts, jobs, key, owner } = await opened()
    const other = (await accounts.keys.verify(await accounts.keys.create({ role: "search" })))!
    const read: string[] = []
    const slow: (() => void)[] = []
    let isSlow = true
    const reader = {
      async read(url: string): Promise<ReadResult> {
        read.push(url)
        if (isSlow && url.includes("/slow")) await new Promise<void>((resolve) => slow.push(resolve))
        return { kind: "failed", because: "dns", detail: "no such host" }
      },
      sitemap: async () => [],
    }
    const reach = { page: async () => null, limits: () => null, addresses: async () => () => true, reader }
    const runner = jobs.start(() => reach as unknown as Reach)
    const names = ["slow1", "slow2", "slow3", "slow4"]
    for (const name of names) await runner.add(name, key, owner, batch(name, PAGES), null)
    await expect.poll(() => read.length).toBe(4 * 6)
    await runner.add("quick", other, { ...owner, keyId: other.id }, batch("quick", 3), null)
    const ended = async (ids: readonly string[]) => {
      const ends: string[] = []
      for (const id of ids) if ((await jobs.store.get(id))!.endedAt !== null) ends.push(id)
      return ends
    }
    // Whenever a page is finished, one of the slow jobs checks whether its turn is over.
    await expect
      .poll(async () => {
        slow.shift()?.()
        return await ended(["quick"])
      })
      .toEqual(["quick"])
    expect(await ended(names)).toEqual([])
    expect(await jobs.store.get("quick")).toMatchObject({ state: "completed", tried: 3 })
    isSlow = false
    for (const go of slow.splice(0)) go()
    await expect.poll(() => ended(names)).toEqual(names)
    for (const name of names)
      expect(await jobs.store.get(name)).toMatchObject({ state: "completed", tried: PAGES })
    const all = [...names.flatMap((name) => addresses(name, PAGES)), ...addresses("quick", 3)]
    expect(read.toSorted()).toEqual(all.toSorted())
    await jobs[Symbol.asyncDispose]()
  })
})
