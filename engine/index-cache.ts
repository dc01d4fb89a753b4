import { machineMemory } from "#base/process/machine-memory.ts"

/**
 * A reader may use 1/SHARE of the memory for indices. The cache fills with the parts that questions need, 270 MB for a
 * million passages' vectors; an index that doesn't fit is reread from its files for each question, which took 120 ms of
 * CPU instead of 20.
 */
const SHARE = 8
const LEAST_MB = 96
const MB = 1024 * 1024

/**
 * How many megabytes of the embedded index to cache in a process that answers searches.
 *
 * @param set `FOSSICK_INDEX_CACHE_MB`; 0: depends on the machine
 * @param most how much memory the process has available for the cache
 */
export function indexCacheMb(set: number, most = Infinity, machine = machineMemory()): number {
  const wanted = set > 0 ? set : Math.max(LEAST_MB, machine / MB / SHARE)
  return Math.floor(Math.min(wanted, most))
}
