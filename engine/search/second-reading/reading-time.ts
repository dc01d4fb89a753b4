import { availableParallelism } from "node:os"
import { poolCounts, type PoolName } from "#base/flow/fair-pool.ts"

/** Milliseconds for a second reading while the queue is empty: more than a slow processor needs for sixteen passages. */
const READING_MS = 1000
/**
 * Once this many milliseconds have passed since a question arrived, including its waits, nothing is read again: its
 * caller should have the answer within two seconds.
 */
const ANSWER_MS = 1500
/** The queues in which searches wait. */
const LINES = ["searches", "index-searches"] as const satisfies readonly PoolName[]

/**
 * Milliseconds that a question may take for a second reading; 0 or less means none. The more questions are waiting for
 * each processor, the shorter the time, so that later questions get as much as earlier ones.
 *
 * @param since milliseconds since the question arrived
 * @param waiting number of questions that are waiting
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
