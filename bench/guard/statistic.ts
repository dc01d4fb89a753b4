import { chance } from "#base/testing/chance.ts"
import { median, percentile } from "../measure.ts"

/** What a line may take of what it took before. */
export const MOST = 1.05
/** The interval leaves out this share at each end. */
const TAIL = 0.025
const RESAMPLES = 2000

/** The ratio of now to before, and between which values it lies with 95 %. */
export interface Ratio {
  readonly middle: number
  readonly low: number
  readonly high: number
}

export type Verdict = "passes" | "slower" | "undecided"

/** 97.5 % points of Student's t by degrees of freedom from 1 on, and of the normal distribution. */
const STUDENT = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]
const NORMAL = 1.96

/**
 * The median of the ratios of turns that followed each other, and its bootstrap interval. Turns of one start of the processes are alike:
 * whole starts are drawn first, then turns of each (Davison and Hinkley 1997, 3.8). Few starts look more alike than they are, so the
 * interval is stretched as Student's t stretches that of a mean.
 * @param starts each with the ratios, now to before, of its turns
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

/** Only an interval that lies beyond what is allowed, or within it, decides. */
export function verdictOf({ low, high }: Ratio, allowed = MOST): Verdict {
  if (low > allowed) return "slower"
  return high <= allowed ? "passes" : "undecided"
}
