import { availableParallelism } from "node:os"
import { poolCounts, type PoolName } from "#base/flow/fair-pool.ts"

/** Milliseconds for a second reading while the queue is empty: more than a slow processor needs for sixteen passages. */
const READING_MS = 1000
/**
 * So many milliseconds after a question came, its waits for turns included, nothing is read again: its caller is to have the answer within two
 * seconds.
 */
const ANSWER_MS = 1500
/** Where searches wait. */
const LINES = ["searches", "index-searches"] as const satisfies readonly PoolName[]

/**
 * Milliseconds that a question may take for a second reading, 0 or less for none. The more questions wait for each processor, the fewer, so that those
 * behind get as much as those before.
 *
 * @param since milliseconds since the question came
 * @param waiting questions that wait for their turn
 */
export function readingMs(
  since: number,
  waiting: number = searchesWaiting(),
  processors: number = availableParallelism(),
): number {
  return Math.min(ANSWER_MS - since, READING_MS / (1 + waiting / processors))
}

function searchesWaiting(): number {
  const counts = poolCounts()
  return LINES.reduce((sum, line) => sum + (counts.get(line)?.waiting ?? 0), 0)
}
