import { expect, test } from "vitest"

import { ByteLru, CacheMemory, cacheUses, noteCache } from "./cache-memory.ts"

/** The cache adds 200 bytes to the size of each value. */
const of = (bytes: number) => bytes - 200

test("the least recently used value is dropped first, whichever cache it is in", () => {
  const memory = new CacheMemory("two-caches", 1000)
  const [one, another] = [new ByteLru<string, number>(memory), new ByteLru<string, number>(memory)]
  one.set("a", 1, of(400))
  another.set("a", 2, of(400))
  expect(memory.held).toBe(800)
  // This entry is used again, so the other cache now has the oldest value.
  expect(one.get("a")).toBe(1)
  one.set("b", 3, of(600))
  expect([one.get("a"), another.get("a"), one.get("b")]).toEqual([1, undefined, 3])
  expect(memory.held).toBe(1000)
  another.set("c", 4, of(201))
  expect([one.get("a"), one.get("b"), another.get("c")]).toEqual([undefined, 3, 4])
  expect(cacheUses().get("two-caches")).toBe(memory)
  expect([memory.held, memory.total]).toEqual([801, 1000])
})

test("a value that is replaced, deleted or cleared releases its memory", () => {
  const memory = new CacheMemory("given-back", 1000)
  const [one, another] = [new ByteLru<string, number>(memory), new ByteLru<string, number>(memory)]
  one.set("a", 1, of(500))
  one.set("a", 2, of(300))
  expect([one.get("a"), memory.held]).toEqual([2, 300])
  one.set("b", 3, of(300))
  another.set("a", 4, of(300))
  one.delete("a")
  one.delete("never there")
  expect([one.get("a"), one.get("b"), memory.held]).toEqual([undefined, 3, 600])
  one.clear()
  expect([one.get("b"), another.get("a"), memory.held]).toEqual([undefined, 4, 300])
  another.set("b", 5, of(700))
  expect([another.get("a"), another.get("b"), memory.held]).toEqual([4, 5, 1000])
})

test("a value larger than the whole cache is not stored, and displaces no other", () => {
  const memory = new CacheMemory("too-large", 1000)
  const cache = new ByteLru<string, number>(memory)
  cache.set("small", 1, of(300))
  cache.set("large", 2, of(1001))
  expect([cache.get("small"), cache.get("large"), memory.held]).toEqual([1, undefined, 300])
  // The value that the oversized value was meant to replace is removed, too.
  cache.set("small", 3, of(1001))
  expect([cache.get("small"), memory.held]).toEqual([undefined, 0])
  cache.set("all", 4, of(1000))
  expect([cache.get("all"), memory.held]).toEqual([4, 1000])
})

test("another kind of cache reports its own size whenever it is read", () => {
  const use = { held: 1, total: 10 }
  noteCache("of-its-own", use)
  expect(cacheUses().get("of-its-own")).toEqual({ held: 1, total: 10 })
  use.held = 2
  expect(cacheUses().get("of-its-own")).toEqual({ held: 2, total: 10 })
})
