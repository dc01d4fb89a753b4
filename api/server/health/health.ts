import { sharing } from "#base/flow/sharing.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

import { toApiError } from "../../errors.ts"

/** Looks at one part of the appliance: null when it is well, else what is wrong and what to do, for anybody to read. */
export type Check = () => Promise<string | null>

export interface Health {
  /** Names of the parts that are not well; ready is who has none. */
  readonly unwell: readonly string[]
  /** Those of them that fail only because the PostgreSQL server is away. */
  readonly away: readonly string[]
  /** By name of the part: "ok" or the problem. */
  readonly checks: Readonly<Record<string, string>>
  /** What is out of order while all parts work. */
  readonly warnings: readonly string[]
}

/** Parts without which questions are answered all the same: who spreads them over several processes leaves these out. */
export const EXCLUDABLE = ["crawler"] as const

/** Longest time a check may take: whoever asks for readiness is not kept waiting. */
const CHECK_MS = 5000
const LATE = `did not answer within ${CHECK_MS / 1000} seconds`

/**
 * A look at all parts side by side. Anybody may ask, so those who ask at the same time share one look, and what
 * a check throws goes to `onFailure` alone: it may name folders and addresses.
 *
 * @param notes shown like checks; what they say keeps no request from being answered
 */
export function healthOf(
  checks: Readonly<Record<string, Check>>,
  onFailure: (name: string, error: unknown) => void,
  notes: Readonly<Record<string, Check>> = {},
  warnings: () => Promise<readonly string[]> = async () => [],
): () => Promise<Health> {
  async function look(): Promise<Health> {
    const away: string[] = []
    const results = await Promise.all(
      Object.entries({ ...checks, ...notes }).map(async ([name, check]): Promise<[string, string]> => {
        const problem = await outcome(check, (error) => {
          if (isStateAway(error)) away.push(name)
          onFailure(name, error)
        })
        return [name, problem ?? "ok"]
      }),
    )
    const unwell = results
      .filter(([name, result]) => result !== "ok" && !(name in notes))
      .map(([name]) => name)
    return { unwell, away, checks: Object.fromEntries(results), warnings: await warned() }
  }
  async function warned(): Promise<readonly string[]> {
    try {
      const told = await orLate(warnings())
      if (told !== LATE) return told
      onFailure("warnings", new Error(`The warnings ${LATE}.`))
      return []
    } catch (error) {
      // A part that is not well may be what they ask.
      onFailure("warnings", error)
      return []
    }
  }
  return sharing(look)
}

async function outcome(check: Check, onFailure: (error: unknown) => void): Promise<string | null> {
  try {
    return await orLate(check())
  } catch (error) {
    onFailure(error)
    const { status, message } = toApiError(error)
    return status === 503 ? message : "It does not work; the server's log says why."
  }
}

async function orLate<T>(look: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, CHECK_MS, LATE)
  })
  try {
    return await Promise.race([look, late])
  } finally {
    clearTimeout(timer)
  }
}
