import { appendFileSync } from "node:fs"

/** Set by `npm run prove -- properties`: how many times as many cases, of which seed, and where they are counted. */
export const MADE_UP = "FOSSICK_TEST_MADE_UP"

export interface MadeUp {
  readonly times: number
  readonly seed: number
  /** A line for each property: how many cases it is held to. */
  readonly counts: string
}

/**
 * How many made-up cases fast-check holds a property to, as the parameters of `fc.assert`: so many in a test, many times as many in the proof.
 * @param seed plays the same cases in every test; left out: others each time
 */
export function madeUp(numRuns: number, seed?: number): { numRuns: number; seed?: number } {
  const given = process.env[MADE_UP]
  if (given === undefined) return { numRuns, ...(seed !== undefined && { seed }) }
  const { times, seed: further, counts } = JSON.parse(given) as MadeUp
  const many = Math.max(1, Math.round(numRuns * times))
  appendFileSync(counts, `${many}\n`)
  return { numRuns: many, seed: (seed ?? 0) + further }
}
