import { getHeapStatistics } from "node:v8"

import { machineMemory } from "#base/process/machine-memory.ts"

export const MB = 1024 * 1024
/** Without a setting: of the machine, or the container, which the crawler, models and the cache of the index share. */
const SHARE_OF_MACHINE = 1 / 4
/** And of what V8 may take for objects and texts, where most of it lies, beside garbage. */
const SHARE_OF_HEAP = 1 / 2
const LEAST_MB = 128
/**
 * Unsent answers, of all: a reader who takes nothing holds the texts of its answer, too, four times as much. So readers who
 * stall lose their connections before calls are refused for them.
 */
const SHARE_OF_UNSENT = 1 / 8
const LEAST_UNSENT = 32 * MB

export interface MemoryLimits {
  /** Megabytes that all accounts may hold together; 0: by the machine. */
  readonly memoryMb: number
}

/** Bytes for all accounts of this process. */
export function memoryLimit({ memoryMb }: MemoryLimits, machine = machineMemory()): number {
  if (memoryMb > 0) return memoryMb * MB
  const heap = getHeapStatistics().heap_size_limit * SHARE_OF_HEAP
  return Math.max(LEAST_MB * MB, Math.floor(Math.min(machine * SHARE_OF_MACHINE, heap)))
}

/** Bytes of answers that may wait for their readers, of what is set and what the memory allows. */
export const unsentLimit = (unsentMb: number, memory: number): number =>
  Math.min(unsentMb * 1_000_000, Math.max(LEAST_UNSENT, memory * SHARE_OF_UNSENT))
