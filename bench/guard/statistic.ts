import { chance } from "#base/testing/chance.ts"
import { median, percentile } from "../measure.ts"

/** The highest ratio of now to before at which a line passes. */
export const MOST = 1.05
/** Share that the interval leaves out at each end. */
const TAIL = 0.025
const RESAMPLES = 2000

/** The ratio of now to before, with its 95% interval. */
export interface Ratio {
  readonly middle: number
  readonly low: number
  readonly high: number
}

export type Verdict = "passes" | "slower" | "undecided"

/** 97.5% points of Student's t by degrees of freedom from 1 up, and of the normal distribution. */
const STUDENT = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]
const NORMAL = 1.96

/**
 * The median ratio of neighbouring turns, and its bootstrap interval. Turns of one start are alike, so whole starts are drawn first,
 * then turns of each (Davison and Hinkley 1997, 3.8). A few starts look more alike than many would, so the interval is widened as
 * Student's t widens the interval of a mean.
 * @param starts the ratios of each start's turns, now to before
 */
export function ratioOf(starts: readonly (readonly number[])[]): Ratio {
  const drawn = chance(1)
  const medians = Array.from({ length: RESAMPLES }, () => {
    const some = starts.map(() => drawn.one(starts))
    return median(some.flatMap((turns) => turns.map(() => drawn.one(turns))))
  })
  const middle = median(starts.flat())
  const freedom = starts.length - 1
  const stretch = (STUDENT[freedom - 1] ?? STUDENT.at(-1)!) / NORMAL / Math.sqrt(freedom / starts.length)
  const at = (share: number) => middle * (percentile(medians, share) / middle) ** stretch
  return { middle, low: at(TAIL), high: at(1 - TAIL) }
}

/** Undecided while the interval contains the limit. */
export function verdictOf({ low, high }: Ratio, allowed = MOST): Verdict {
  if (low > allowed) return "slower"
  return high <= allowed ? "passes" : "undecided"
}
