import { expect, test } from "vitest"

import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import type { PageUrl } from "#engine"

import { JobStore } from "../../../doors/firecrawl/jobs/job-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { readBatch } from "../../../doors/firecrawl/jobs/crawl-request.ts"
import { ResearchTasks } from "../../../services/research/task-store.ts"
import { memoryState } from "../../../testing/serve-app.ts"
import { CHANGES } from "../../../services/watches/watch.ts"
import { WatchStore } from "../../../services/watches/store/watch-store.ts"
import { FieldReader } from "../../../server/wire/fields.ts"
import { KeptByKey } from "./kept-by-key.ts"

const MB = 1_000_000
const writes = { run: <T>(work: () => Promise<T>) => work() }
const owner = (keyId: string) => ({ keyId, project: "", session: "", human: "" })
const options = { name: "", changes: CHANGES, webhook: null, emails: [], everyMinutes: 0, paused: false }
const address = (at: number) => `https://garden.example.com/${at}` as PageUrl

/** Everything that a key can have stored, in one database, at most `most` bytes per key. */
function stores(most: number) {
  const db = memoryState()
  void new Jobs(db)
  void new KnownAddresses(db)
  const kept = new KeptByKey(db, most)
  return {
    db,
    kept,
    tasks: new ResearchTasks(db, writes, 100 * MB, kept),
    jobs: new JobStore(db, writes, 100 * MB, kept),
    watches: new WatchStore(db, { textBytes: 100 * MB, keyBytes: most }),
  }
}

/** A request for this many addresses, each of 3,000 characters. */
const request = (addresses: number) => {
  const urls = Array.from({ length: addresses }, (_, at) => `${address(at)}?`.padEnd(3000, "x"))
  return readBatch(new FieldReader({ urls }), 2).request
}
const research = (input: string) => ({ input, model: "mini", files: [] }) as never
const seen = (at: number, hash: string, text: string) => ({
  url: address(at),
  hash,
  title: "Roses",
  sources: ["garden"],
  text,
})

test("research, jobs and watches share one quota per key, and each is refused when it is used up", async () => {
  const { kept, tasks, jobs, watches } = stores(MB)
  expect(await tasks.add("task", owner("a"), research("x".repeat(400_000)), new Date())).not.toBeNull()
  // A job's request counts toward the limit, too, until the job is forgotten.
  await jobs.add("job", owner("a"), request(50), new Date())
  expect([
    await kept.hasRoom("a", 200_000),
    await kept.hasRoom("a", 400_000),
    await jobs.hasRoom("a"),
  ]).toEqual([true, false, true])
  const watch = (await watches.create(
    { ...options, key: "a", subject: { kind: "page", urls: [address(1)] } },
    9,
  ))!
  const unlike = Array.from({ length: 90_000 }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
  ).join("")
  await watches.keepFirst(watch.id, [seen(1, "1", unlike)], address(1), true)
  await jobs.begin(new Date())
  await jobs.addDocument((await jobs.get("job"))!, address(1), {
    metadata: {},
    markdown: "x".repeat(300_000),
  })
  expect(await kept.largest()).toBeGreaterThan(MB)
  expect([await kept.hasRoom("a"), await jobs.hasRoom("a"), await watches.hasRoom("a")]).toEqual([
    false,
    false,
    false,
  ])
  expect(await tasks.add("next", owner("a"), research("roses"), new Date())).toBeNull()
  // Other keys are not affected.
  expect([await jobs.hasRoom("b"), await watches.hasRoom("b")]).toEqual([true, true])
  expect(await tasks.add("other", owner("b"), research("roses"), new Date())).not.toBeNull()
  expect(await kept.bytesOf("b")).toBeGreaterThan(0)
  expect(await kept.largest()).toBe(await kept.bytesOf("a"))
})

test("a key has room until its quota is reached", async () => {
  const { db, kept, tasks } = stores(MB)
  await tasks.add("task", owner("a"), research("roses"), new Date())
  const bytes = await kept.bytesOf("a")
  const hasRoom = (most: number, more?: number) => new KeptByKey(db, most).hasRoom("a", more)
  expect([
    await hasRoom(bytes),
    await hasRoom(bytes + 1),
    await hasRoom(bytes + 8, 8),
    await hasRoom(bytes + 9, 8),
  ]).toEqual([false, true, false, true])
})

test("a watch of a key without room keeps reporting, without differences, and stores no further page", async () => {
  const { db, tasks } = stores(MB)
  const watches = new WatchStore(db, { textBytes: MB, keyBytes: MB / 2 })
  const watch = (await watches.create(
    { ...options, key: "a", subject: { kind: "source", source: "garden", include: [], exclude: [] } },
    9,
  ))!
  await watches.keepFirst(watch.id, [seen(1, "1", "Roses.")], address(1), true)
  await tasks.add("task", owner("a"), research("x".repeat(MB / 2)), new Date())
  const entry = { change: "changed", title: "Roses", sources: ["garden"], diff: "+Tulips." } as const
  await watches.keep(
    [
      { watch: watch.id, url: address(1), entry, seen: seen(1, "2", "Tulips."), before: "1" },
      {
        watch: watch.id,
        url: address(2),
        entry: { ...entry, change: "new", diff: null },
        seen: seen(2, "3", "Bees."),
        before: null,
      },
    ],
    [],
    0,
  )
  expect((await watches.entries(watch.id, { limit: 9 })).map(({ change, diff }) => [change, diff])).toEqual([
    ["new", null],
    ["changed", null],
  ])
  expect(await watches.seenCount(watch.id)).toBe(1)
  expect((await watches.seen(watch.id, address(1)))?.hash).toBe("2")
  expect(await statement(db, "select count(*) as n from watch_text").get()).toEqual({ n: 0 })
})

test("a deleted watch releases everything that was counted for it", async () => {
  const { kept, watches } = stores(MB)
  const make = async () =>
    (await watches.create({ ...options, key: "a", subject: { kind: "page", urls: [address(1)] } }, 9))!
  const [first, second] = [await make(), await make()]
  const entry = { change: "gone", title: "Roses", sources: ["garden"], diff: "-Roses." } as const
  for (const { id } of [first, second]) {
    await watches.keepFirst(id, [seen(1, "1", "Roses.")], address(1), true)
    // The page was seen again in another form, but it is still one page.
    await watches.keep(
      [{ watch: id, url: address(1), entry, seen: seen(1, "2", "Tulips."), before: "1" }],
      [],
      0,
    )
  }
  const both = await kept.bytesOf("a")
  await watches.delete(second.id)
  expect(await kept.bytesOf("a")).toBeGreaterThan(0)
  expect(await kept.bytesOf("a")).toBeLessThan(both)
  await watches.delete(first.id)
  expect(await kept.bytesOf("a")).toBe(0)
})
