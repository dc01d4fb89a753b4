import { expect, test } from "vitest"

import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import type { PageUrl } from "#engine"

import { JobStore } from "../../../doors/firecrawl/jobs/job-store.ts"
import { readBatch } from "../../../doors/firecrawl/jobs/crawl-request.ts"
import { ResearchTasks } from "../../../services/research/task-store.ts"
import { memoryState } from "../../../testing/serve-app.ts"
import { CHANGES } from "../../../services/watches/watch.ts"
import { WatchStore } from "../../../services/watches/store/watch-store.ts"
import { FieldReader } from "../../../server/wire/fields.ts"
import { KeptByKey } from "./kept-by-key.ts"

const MB = 1_000_000
const writes = { run: async <T>(work: () => T) => work() }
const owner = (keyId: string) => ({ keyId, project: "", session: "", human: "" })
const options = { name: "", changes: CHANGES, webhook: null, emails: [], everyMinutes: 0, paused: false }
const address = (at: number) => `https://garden.example.com/${at}` as PageUrl

/** All that a key can have kept, over one database, at most `most` bytes of each key. */
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

/** Of so many addresses, each of 3,000 characters. */
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

test("what research, jobs and watches keep for a key is one sum, and each of them is refused when it is spent", async () => {
  const { kept, tasks, jobs, watches } = stores(MB)
  expect(await tasks.add("task", owner("a"), research("x".repeat(400_000)), new Date())).not.toBeNull()
  // The request of a job counts, too, until the job is forgotten.
  await jobs.add("job", owner("a"), request(50), new Date())
  expect([kept.hasRoom("a", 200_000), kept.hasRoom("a", 400_000), jobs.hasRoom("a")]).toEqual([
    true,
    false,
    true,
  ])
  const watch = watches.create({ ...options, key: "a", subject: { kind: "page", urls: [address(1)] } }, 9)!
  const unlike = Array.from({ length: 90_000 }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
  ).join("")
  watches.keepFirst(watch.id, [seen(1, "1", unlike)], address(1), true)
  await jobs.begin(new Date())
  await jobs.addDocument(jobs.get("job")!, address(1), {
    metadata: {},
    markdown: "x".repeat(300_000),
  })
  expect(kept.largest()).toBeGreaterThan(MB)
  expect([kept.hasRoom("a"), jobs.hasRoom("a"), watches.hasRoom("a")]).toEqual([false, false, false])
  expect(await tasks.add("next", owner("a"), research("roses"), new Date())).toBeNull()
  // Nobody else is concerned.
  expect([jobs.hasRoom("b"), watches.hasRoom("b")]).toEqual([true, true])
  expect(await tasks.add("other", owner("b"), research("roses"), new Date())).not.toBeNull()
  expect(kept.bytesOf("b")).toBeGreaterThan(0)
  expect(kept.largest()).toBe(kept.bytesOf("a"))
})

test("a key has room up to the last byte but one", async () => {
  const { db, kept, tasks } = stores(MB)
  await tasks.add("task", owner("a"), research("roses"), new Date())
  const bytes = kept.bytesOf("a")
  const hasRoom = (most: number, more?: number) => new KeptByKey(db, most).hasRoom("a", more)
  expect([hasRoom(bytes), hasRoom(bytes + 1), hasRoom(bytes + 8, 8), hasRoom(bytes + 9, 8)]).toEqual([
    false,
    true,
    false,
    true,
  ])
})

test("a watch of a key without room goes on to tell, without differences, and remembers no further page", async () => {
  const { db, tasks } = stores(MB)
  const watches = new WatchStore(db, { textBytes: MB, keyBytes: MB / 2 })
  const watch = watches.create(
    { ...options, key: "a", subject: { kind: "source", source: "garden", include: [], exclude: [] } },
    9,
  )!
  watches.keepFirst(watch.id, [seen(1, "1", "Roses.")], address(1), true)
  await tasks.add("task", owner("a"), research("x".repeat(MB / 2)), new Date())
  const entry = { change: "changed", title: "Roses", sources: ["garden"], diff: "+Tulips." } as const
  watches.keep(
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
  expect(watches.entries(watch.id, { limit: 9 }).map(({ change, diff }) => [change, diff])).toEqual([
    ["new", null],
    ["changed", null],
  ])
  expect(watches.seenCount(watch.id)).toBe(1)
  expect(watches.seen(watch.id, address(1))?.hash).toBe("2")
  expect(db.prepare("select count(*) as n from watch_text").get()).toEqual({ n: 0 })
})

test("a watch that is deleted gives back all that was counted for it", () => {
  const { kept, watches } = stores(MB)
  const make = () =>
    watches.create({ ...options, key: "a", subject: { kind: "page", urls: [address(1)] } }, 9)!
  const [first, second] = [make(), make()]
  const entry = { change: "gone", title: "Roses", sources: ["garden"], diff: "-Roses." } as const
  for (const { id } of [first, second]) {
    watches.keepFirst(id, [seen(1, "1", "Roses.")], address(1), true)
    // Seen again in another form: it is still one page.
    watches.keep([{ watch: id, url: address(1), entry, seen: seen(1, "2", "Tulips."), before: "1" }], [], 0)
  }
  const both = kept.bytesOf("a")
  watches.delete(second.id)
  expect(kept.bytesOf("a")).toBeGreaterThan(0)
  expect(kept.bytesOf("a")).toBeLessThan(both)
  watches.delete(first.id)
  expect(kept.bytesOf("a")).toBe(0)
})
