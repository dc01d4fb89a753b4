import { offLoop } from "#base/process/threads/off-loop.ts"
import { stateDamage } from "#base/store/sqlite/rebuild-state.ts"

/** Delay before the first check, because the process is busy enough right after startup. */
const FIRST_MS = 60_000
/** Interval between later checks, which run off the event loop. */
const EVERY_MS = 24 * 3_600_000

const damageIn = offLoop(import.meta.resolve("#base/store/sqlite/rebuild-state.ts"), stateDamage)

export interface StateCheck extends Disposable {
  /** The latest problem, and how to fix it, or null. */
  readonly problem: () => string | null
}

/**
 * Reads all of `state.db` from time to time, in its own thread: damage in rarely read rows would otherwise stay hidden
 * until the day you need them, and meanwhile get into every backup.
 *
 * @param onProblem called when damage is first found, and for checks that fail
 * @param firstMs time until the first check
 */
export function checkState(
  dataDir: string,
  onProblem: (problem: string) => void,
  firstMs = FIRST_MS,
): StateCheck {
  const over = new AbortController()
  let problem: string | null = null
  const look = async (): Promise<void> => {
    const { signal } = over
    const damage = await damageIn({ chars: Infinity, signal }, dataDir)
    const found = damage.length === 0 ? null : damagedText(damage)
    if (found !== null && found !== problem) onProblem(found)
    problem = found
  }
  const start = (): void =>
    void look().catch((error: unknown) => {
      if (!over.signal.aborted) onProblem(`state.db could not be checked: ${(error as Error).message}`)
    })
  const first = setTimeout(start, firstMs).unref()
  const later = setInterval(start, EVERY_MS).unref()
  return {
    problem: () => problem,
    [Symbol.dispose]() {
      clearTimeout(first)
      clearInterval(later)
      over.abort()
    },
  }
}

const damagedText = (damage: readonly string[]): string =>
  `state.db is damaged (${damage[0]}). Stop the appliance and run \`fossick doctor --repair\`, or restore a backup; until then, its data about keys, credits and sources may be wrong.`
