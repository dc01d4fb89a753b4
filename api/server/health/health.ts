import { sharing } from "#base/flow/sharing.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

import { toApiError } from "../../errors.ts"

/**
 * Checks one part of the appliance: null if it is healthy, otherwise the problem and its remedy, in text that any
 * caller may read.
 */
export type Check = () => Promise<string | null>

export interface Health {
  /** Names of the parts that are not healthy; the appliance is ready if there are none. */
  readonly unwell: readonly string[]
  /** Names of the parts that fail only because the PostgreSQL server is away. */
  readonly away: readonly string[]
  /** "ok" or the problem, by name of the part. */
  readonly checks: Readonly<Record<string, string>>
  /** Problems to report although all parts work. */
  readonly warnings: readonly string[]
}

/** Parts without which questions are still answered: a load balancer should ignore their failures. */
export const EXCLUDABLE = ["crawler"] as const

/** Maximum time for a check, so that a readiness request never waits long. */
const CHECK_MS = 5000
const LATE = `did not answer within ${CHECK_MS / 1000} seconds`

/**
 * Checks all parts in parallel. Anyone may ask, so simultaneous requests share one check. Errors thrown by a check go
 * only to `onFailure`, because they can contain folders and addresses.
 *
 * @param notes shown like checks, but they never affect readiness
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
      onFailure("warnings", new Error(`The check for warnings ${LATE}.`))
      return []
    } catch (error) {
      // The warnings might have failed because they depend on an unhealthy part.
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
    return status === 503 ? message : "Not working; the server's log says why."
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
