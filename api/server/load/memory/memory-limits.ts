import { getHeapStatistics } from "node:v8"

import { type CacheUse, cacheUses } from "#base/flow/memory/cache-memory.ts"
import { machineMemory } from "#base/process/machine-memory.ts"

export const MB = 1024 * 1024
/** Default share of the memory of the machine or the container, which is shared with the crawler and models. The index cache is added to it. */
const SHARE_OF_MACHINE = 1 / 4
/** Default share of V8's limit for objects and strings, which make up most of the data and the garbage. */
const SHARE_OF_HEAP = 1 / 2
const LEAST_MB = 128
/** Minimum number of bytes left for calls, however much caches may hold. */
const LEAST_FOR_CALLS = 64 * MB
/** The index cache's share of a configured memory limit. */
const SHARE_OF_INDEX = 1 / 3
/**
 * Share of the calls' memory for unsent responses. A response that its client doesn't read also keeps its texts in
 * memory, which are four times as large. So clients that stall lose their connections before calls are refused because
 * of them.
 */
const SHARE_OF_UNSENT = 1 / 8
const LEAST_UNSENT = 32 * MB
/** Cached, because it does not change during the life of a process, and every call needs it. */
const HEAP_LIMIT = getHeapStatistics().heap_size_limit

export interface MemoryLimits {
  /** Maximum number of megabytes for all accounts and caches together; 0 to base it on the machine. */
  readonly memoryMb: number
}

export type Caches = () => ReadonlyMap<string, CacheUse>

/** Maximum number of bytes for caches, however much they hold now. */
export const cachesLimit = (caches: Caches = cacheUses): number =>
  [...caches().values()].reduce((sum, { total }) => sum + total, 0)

/** Bytes for all accounts and caches of this process. */
export function memoryLimit(
  { memoryMb }: MemoryLimits,
  caches: Caches = cacheUses,
  machine = machineMemory(),
): number {
  const wanted = memoryMb > 0 ? memoryMb * MB : memoryByMachine(caches, machine)
  return Math.max(wanted, cachesLimit(caches) + LEAST_FOR_CALLS)
}

function memoryByMachine(caches: Caches, machine: number): number {
  const heap = HEAP_LIMIT * SHARE_OF_HEAP
  const beside = Math.max(LEAST_MB * MB, Math.floor(Math.min(machine * SHARE_OF_MACHINE, heap)))
  return beside + (caches().get("index")?.total ?? 0)
}

/** The bytes left for calls when all caches are full. */
export const memoryOfCalls = (limits: MemoryLimits, caches: Caches = cacheUses): number =>
  memoryLimit(limits, caches) - cachesLimit(caches)

/** Maximum number of megabytes for the index cache. */
export const mostOfIndexMb = ({ memoryMb }: MemoryLimits): number =>
  memoryMb > 0 ? memoryMb * SHARE_OF_INDEX : Infinity

/** Maximum number of bytes of answers waiting for their readers, derived from the setting and the memory for calls. */
export const unsentLimit = (unsentMb: number, memory: number): number =>
  Math.min(unsentMb * 1_000_000, Math.max(LEAST_UNSENT, memory * SHARE_OF_UNSENT))
