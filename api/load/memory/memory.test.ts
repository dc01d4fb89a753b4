import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { expect, test } from "vitest"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { SEARCH_KEY, serveApp } from "../../testing/serve-app.ts"
import { Heap } from "./heap.ts"
import { memoryLimit, unsentLimit } from "./memory-limits.ts"
import { openMemory } from "./memory.ts"

const MB = 2 ** 20
const SPENT = expect.objectContaining({ status: 503, headers: { "Retry-After": "2" } })
const connections = { unsentBytes: 0, unsentLimit: 32 * MB }

test("calls hold what they find until they are closed; what has no room is refused, and leaves nothing behind", () => {
  using memory = openMemory({ memoryMb: 128, liveMemoryMb: 64 }, connections)
  const first = memory.enter()
  first.hold(20 * MB)
  const second = memory.enter()
  // 96 MB are for calls.
  expect(() => second.hold(5 * MB)).toThrow(SPENT)
  expect(memory.holdings().get("calls")).toMatchObject({ held: 80.25 * MB, total: 96 * MB, refused: 1 })
  first[Symbol.dispose]()
  expect(memory.holdings().get("all")).toMatchObject({ held: 0, total: 128 * MB })
  memory.enter().hold(20 * MB)
})

test("live pages, texts found and answers on their way come out of one whole", () => {
  const sending = { unsentBytes: 40 * MB, unsentLimit: 64 * MB }
  using memory = openMemory({ memoryMb: 128, liveMemoryMb: 64 }, sending)
  using live = memory.live.open()
  expect(live.reserve(60 * MB)).toBe(true)
  const call = memory.enter()
  expect(() => call.hold(10 * MB)).toThrow(SPENT)
  sending.unsentBytes = 0
  memory.enter().hold(10 * MB)
})

test("without a setting it is a quarter of the machine's or the container's memory", () => {
  expect(memoryLimit({ memoryMb: 0 }, 2048 * MB)).toBe(512 * MB)
  expect(memoryLimit({ memoryMb: 0 }, 256 * MB)).toBe(128 * MB)
  expect(memoryLimit({ memoryMb: 300 }, 256 * MB)).toBe(300 * MB)
  expect(memoryLimit({ memoryMb: 0 }, 1e15)).toBeLessThan(1e14)
  // Answers that wait give way first.
  expect([unsentLimit(256, 512 * MB), unsentLimit(16, 512 * MB)]).toEqual([64 * MB, 16_000_000])
})

test("a heap that is full after a collection refuses for a while, and is asked anew then", () => {
  let now = 0
  using heap = new Heap(() => now)
  heap.collected(heap.total)
  expect(heap.isFull).toBe(true)
  now = 5001
  expect(heap.isFull).toBe(false)
  heap.collected(heap.total / 2)
  expect(heap.isFull).toBe(false)
})

test("a collection of garbage tells how much lives", async () => {
  using heap = new Heap()
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  await expect
    .poll(() => {
      collect()
      return heap.held
    })
    .toBeGreaterThan(MB)
})

test("searches whose pages have no room are answered 503 with Retry-After, and cost nothing", async () => {
  const markdown = "x".repeat(14 * MB)
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
    config: { memoryMb: 128, searches: 4 },
  })
  const ask = () =>
    fetch(`${app.url}/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${SEARCH_KEY}` },
      body: JSON.stringify({ query: "pumps", include_raw_content: true }),
    })
  // Its answer is not read, and is more than the system buffers: it holds 56 MB.
  const held = await ask()
  expect(held.status).toBe(200)
  const refused = await app.post("/search", { query: "pumps", include_raw_content: true })
  expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
    503,
    "2",
    { detail: { error: expect.stringContaining("memory for calls is spent") } },
  ])
  const small = await app.post("/search", { query: "pumps" })
  expect(small.status).toBe(200)
  await held.arrayBuffer()
  await expect
    .poll(async () => (await app.post("/search", { query: "pumps", include_raw_content: true })).status)
    .toBe(200)
})
