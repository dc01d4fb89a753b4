/** Random numbers that are the same for the same seed (mulberry32). */
export interface Chance {
  /** A number from 0 up to, but not including, 1. */
  readonly next: () => number
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number
  /** A random item of the list, which must not be empty. */
  one<T>(all: readonly T[]): T
  /** At most this many distinct items, in their original order. */
  some<T>(all: readonly T[], count: number): T[]
  /** True in the given share of cases. */
  happens(share: number): boolean
}

export function chance(seed: number): Chance {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    one: (all) => all[below(all.length)]!,
    some(all, count) {
      const left = all.map((_, at) => at)
      while (left.length > count) left.splice(below(left.length), 1)
      return left.map((at) => all[at]!)
    },
    happens: (share) => next() < share,
  }
}
