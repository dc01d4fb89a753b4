import { setImmediate } from "node:timers/promises"
import type { Connection } from "@lancedb/lancedb"
import { afterEach, beforeEach, expect, test } from "vitest"
import { cacheUses } from "#base/flow/memory/cache-memory.ts"
import { garbageCollector } from "#base/process/garbage-collector.ts"
import { adapter } from "#engine/testing/embedded-under-test.ts"
import { connectTo } from "./tables.ts"

const MB = 1024 * 1024
const METADATA_MB = 32

let dir: string
beforeEach(async () => void (dir = await adapter.freshPlace()))
afterEach(() => adapter.removePlace(dir))

const megabytes = () => cacheUses().get("index")!.total / MB

test("the reported cache size covers each open reader, and none that is gone", async () => {
  const open = new Map<number, Connection>()
  // In a separate function, so that no variable keeps a reference.
  const openReader = async (cacheMb: number) => void open.set(cacheMb, await connectTo(dir, 1000, cacheMb))
  await openReader(64)
  expect(megabytes()).toBe(64 + METADATA_MB)
  await openReader(100)
  expect(megabytes(), "of both, while an index takes another one's place").toBe(164 + 2 * METADATA_MB)

  open.delete(64)
  const collect = garbageCollector()
  const afterCollection = async () => {
    await setImmediate()
    collect()
    return megabytes()
  }
  await expect.poll(afterCollection).toBe(100 + METADATA_MB)
  expect(await afterCollection(), "of one that is in use").toBe(100 + METADATA_MB)
  expect(open.size).toBe(1)
})

test("a writing process does not count as a reader", async () => {
  const before = megabytes()
  const writer = await connectTo(dir, 0)
  expect(megabytes()).toBe(before)
  writer.close()
})
