import { expect, test } from "vitest"

import { garbageCollector } from "#base/process/garbage-collector.ts"
import { type Context, untilClosed } from "../../../context.ts"
import { FakeEngine, hit } from "../../../testing/fake-engine.ts"
import { SEARCH_KEY, serveApp } from "../../../testing/serve-app.ts"
import { Heap } from "./heap.ts"
import { cachesLimit, memoryLimit, memoryOfCalls, mostOfIndexMb, unsentLimit } from "./memory-limits.ts"
import { openMemory } from "./memory.ts"

const MB = 2 ** 20
const SPENT = expect.objectContaining({ status: 503, headers: { "Retry-After": "2" } })
const connections = { unsentBytes: 0, unsentLimit: 32 * MB }
const limits = { memoryMb: 128, liveMemoryMb: 64, researchMemoryMb: 64, bodiesMb: 64 }
const none = () => new Map()

test("calls hold memory until they are closed, and a refused call leaves nothing behind", () => {
  using memory = openMemory(limits, connections, none)
  const first = memory.enter()
  first.hold(20 * MB)
  const second = memory.enter()
  // 96 MB are available for calls.
  expect(() => second.hold(5 * MB)).toThrow(SPENT)
  expect(memory.holdings().get("calls")).toMatchObject({ held: 80.25 * MB, total: 96 * MB, refused: 1 })
  first[Symbol.dispose]()
  expect(memory.holdings().get("all")).toMatchObject({ held: 0, total: 128 * MB })
  memory.enter().hold(20 * MB)
})

test("a call's memory is released at once if its caller has already gone", () => {
  using memory = openMemory(limits, connections, none)
  const call = memory.enter()
  call.hold(20 * MB)
  untilClosed({ res: { closed: true } } as Context, call)
  expect(memory.holdings().get("calls")).toMatchObject({ held: 0 })
})

test("live pages, found texts and outgoing answers share one limit", () => {
  const sending = { unsentBytes: 40 * MB, unsentLimit: 64 * MB }
  using memory = openMemory(limits, sending, none)
  using live = memory.live.open()
  expect(live.reserve(60 * MB)).toBe(true)
  const call = memory.enter()
  expect(() => call.hold(10 * MB)).toThrow(SPENT)
  sending.unsentBytes = 0
  memory.enter().hold(10 * MB)
})

test("a cache that grows after the account was opened takes no call's last room", () => {
  const caches = new Map([["index", { held: 0, total: 32 * MB }]])
  using memory = openMemory(limits, connections, () => caches)
  expect(memory.holdings().get("calls")!.total).toBe(72 * MB)
  caches.set("index", { held: 0, total: 500 * MB })
  expect(memory.holdings().get("all")).toMatchObject({ held: 500 * MB, total: 564 * MB })
  memory.enter().hold(10 * MB)
})

test("the caches' share is never given to calls, whether they use it or not", () => {
  const caches = new Map([
    ["index", { held: 0, total: 48 * MB }],
    ["passages", { held: 8 * MB, total: 16 * MB }],
  ])
  using memory = openMemory({ ...limits, researchMemoryMb: 5 }, connections, () => caches)
  const { held, total, refused } = memory.holdings().get("all")!
  expect([held, total, refused]).toEqual([64 * MB, 128 * MB, 0])
  expect(memory.holdings().get("calls")!.total).toBe(48 * MB)
  expect(memory.holdings().get("research")!.total).toBe(5 * MB)
  expect(memory.holdings().get("cache-passages")).toEqual({ held: 8 * MB, total: 16 * MB, refused: null })
  using live = memory.live.open()
  expect(live.reserve(60 * MB)).toBe(true)
  expect(() => memory.enter().hold(MB)).toThrow(SPENT)
  expect(live.reserve(4 * MB)).toBe(true)
  expect(live.reserve(1)).toBe(false)
  using larger = openMemory({ ...limits, memoryMb: 264 }, connections, () => caches)
  expect(larger.holdings().get("research")!.total).toBe(25 * MB)
  expect(larger.holdings().get("calls")!.total).toBe(150 * MB)
  // A cache that is loaded later is included as well.
  caches.set("robots", { held: 0, total: 8 * MB })
  expect(larger.holdings().get("calls")!.total).toBe(144 * MB)
  expect(larger.holdings().get("all")).toMatchObject({ held: 72 * MB, total: 264 * MB })
})

test("incoming requests count against the total too, up to a limit of their own", () => {
  using memory = openMemory({ ...limits, bodiesMb: 100 }, connections, none)
  expect(memory.bodies.most).toBe(100 * MB)
  const body = memory.bodies.begin(() => {})
  body.add(90 * MB)
  const call = memory.enter()
  expect(() => call.hold(10 * MB)).toThrow(SPENT)
  body.end()
  memory.enter().hold(10 * MB)
})

test("without a setting it is a quarter of the machine's or the container's memory", () => {
  expect(memoryLimit({ memoryMb: 0 }, none, 2048 * MB)).toBe(512 * MB)
  expect(memoryLimit({ memoryMb: 0 }, none, 256 * MB)).toBe(128 * MB)
  expect(memoryLimit({ memoryMb: 300 }, none, 256 * MB)).toBe(300 * MB)
  expect(memoryLimit({ memoryMb: 0 }, none, 1e15)).toBeLessThan(1e14)
  // Waiting answers get only an eighth of the calls' memory, so they are abandoned before calls are refused.
  expect([unsentLimit(256, 512 * MB), unsentLimit(16, 512 * MB)]).toEqual([64 * MB, 16_000_000])
})

test("the index cache is added to the machine's share, and takes a third of a configured limit", () => {
  const caches = () =>
    new Map([
      ["index", { held: 0, total: 256 * MB }],
      ["words", { held: 0, total: 12 * MB }],
    ])
  expect(memoryLimit({ memoryMb: 0 }, caches, 2048 * MB)).toBe(768 * MB)
  expect(memoryLimit({ memoryMb: 768 }, caches, 2048 * MB)).toBe(768 * MB)
  expect(memoryOfCalls({ memoryMb: 768 }, caches)).toBe(500 * MB)
  // The setting is too low, but calls get 64 MB anyway.
  expect(memoryLimit({ memoryMb: 300 }, caches)).toBe(332 * MB)
  expect([mostOfIndexMb({ memoryMb: 0 }), mostOfIndexMb({ memoryMb: 300 })]).toEqual([Infinity, 100])
})

test("a heap that is full after a collection refuses calls for a while, and is then checked again", () => {
  let now = 0
  using heap = new Heap(() => now)
  heap.collected(heap.total)
  expect(heap.isFull).toBe(true)
  now = 5001
  expect(heap.isFull).toBe(false)
  heap.collected(heap.total / 2)
  expect(heap.isFull).toBe(false)
})

test("a garbage collection reports how much memory is live", async () => {
  using heap = new Heap()
  const collect = garbageCollector()
  await expect
    .poll(() => {
      collect()
      return heap.held
    })
    .toBeGreaterThan(MB)
})

test("searches whose pages have no room are answered 503 with Retry-After, and cost nothing", async () => {
  const markdown = "x".repeat(7 * MB)
  class LargePages extends FakeEngine {
    override async search(...given: Parameters<FakeEngine["search"]>) {
      const found = await super.search(...given)
      if (given[0].withMarkdown !== true) return found
      return { ...found, hits: found.hits.map((one) => ({ ...one, markdown })) }
    }
  }
  const engine = new LargePages([hit()])
  await using app = await serveApp({
    engine,
    // 48 MB for calls, in addition to the caches.
    config: { memoryMb: (cachesLimit() + 64 * MB) / MB, searches: 4 },
  })
  const ask = () =>
    fetch(`${app.url}/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${SEARCH_KEY}` },
      body: JSON.stringify({ query: "pumps", include_raw_content: true }),
    })
  // This answer is not read, and it is larger than the system's buffers, so the call still holds 28 MB.
  const held = await ask()
  expect(held.status).toBe(200)
  const refused = await app.post("/search", { query: "pumps", include_raw_content: true })
  expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
    503,
    "2",
    { detail: { error: expect.stringContaining("memory for calls is used up") } },
  ])
  const small = await app.post("/search", { query: "pumps" })
  expect(small.status).toBe(200)
  await held.arrayBuffer()
  await expect
    .poll(async () => (await app.post("/search", { query: "pumps", include_raw_content: true })).status)
    .toBe(200)
})
