import { appendFileSync } from "node:fs"

/** Set by `npm run prove -- properties`: the factor for the number of cases, their seed, and where they are counted. */
export const MADE_UP = "FOSSICK_TEST_MADE_UP"

export interface MadeUp {
  readonly times: number
  readonly seed: number
  /** A file with a line for each property: the number of cases it was tested with. */
  readonly counts: string
}

/**
 * The number of generated cases with which fast-check tests a property, as parameters for `fc.assert`: this many in a
 * test, many times as many in the proof.
 * @param seed generates the same cases in every test; if left out, the cases differ each time
 */
export function madeUp(numRuns: number, seed?: number): { numRuns: number; seed?: number } {
  const given = process.env[MADE_UP]
  if (given === undefined) return { numRuns, ...(seed !== undefined && { seed }) }
  const { times, seed: further, counts } = JSON.parse(given) as MadeUp
  const many = Math.max(1, Math.round(numRuns * times))
  appendFileSync(counts, `${many}\n`)
  return { numRuns: many, seed: (seed ?? 0) + further }
}
