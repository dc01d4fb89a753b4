import { getHeapStatistics } from "node:v8"

import { type CacheUse, cacheUses } from "#base/flow/memory/cache-memory.ts"
import { machineMemory } from "#base/process/machine-memory.ts"

export const MB = 1024 * 1024
/** Without a setting: of the machine, or the container, which the crawler and models share. The cache of the index comes on top. */
const SHARE_OF_MACHINE = 1 / 4
/** The same for V8's limit for objects and texts, where most of the data and the garbage is. */
const SHARE_OF_HEAP = 1 / 2
const LEAST_MB = 128
/** Whatever caches may hold, calls have so much. */
const LEAST_FOR_CALLS = 64 * MB
/** The index cache's share of a configured memory limit. */
const SHARE_OF_INDEX = 1 / 3
/**
 * Unsent answers, of what calls have: a reader who takes nothing holds the texts of its answer, too, four times as much. So readers who
 * stall lose their connections before calls are refused for them.
 */
const SHARE_OF_UNSENT = 1 / 8
const LEAST_UNSENT = 32 * MB
/** It does not change while a process lives, and is asked for by every call. */
const HEAP_LIMIT = getHeapStatistics().heap_size_limit

export interface MemoryLimits {
  /** Megabytes that all accounts and caches may hold together; 0: by the machine. */
  readonly memoryMb: number
}

export type Caches = () => ReadonlyMap<string, CacheUse>

/** Bytes that caches may hold, whatever they hold now. */
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

/** Megabytes that the cache of the index may hold at most. */
export const mostOfIndexMb = ({ memoryMb }: MemoryLimits): number =>
  memoryMb > 0 ? memoryMb * SHARE_OF_INDEX : Infinity

/** Bytes of answers that may wait for their readers, from the setting and the memory for calls. */
export const unsentLimit = (unsentMb: number, memory: number): number =>
  Math.min(unsentMb * 1_000_000, Math.max(LEAST_UNSENT, memory * SHARE_OF_UNSENT))
