/** Each bucket is a fifth wider than the previous one, so a value read from it is accurate to within a tenth. */
const GROWTH = 1.2
const MOST_MS = 600_000

/** Counts by bucket: `[number of the bucket, how many]`. */
export type Latencies = readonly (readonly [number, number])[]

export const bucketOf = (ms: number): number =>
  Math.floor(Math.log(Math.min(MOST_MS, Math.max(1, ms))) / Math.log(GROWTH))

/** The time in milliseconds within which this share of all calls was answered, accurate to within a tenth; null if there were no calls. */
export function quantile(latencies: Latencies, share: number): number | null {
  const sorted = latencies.toSorted(([a], [b]) => a - b)
  const wanted = sorted.reduce((sum, [, count]) => sum + count, 0) * share
  let counted = 0
  for (const [bucket, count] of sorted) {
    counted += count
    if (counted >= wanted && count > 0) return Math.round(GROWTH ** (bucket + 0.5))
  }
  return null
}

/** The sum of all the given counts, by bucket. */
export function together(all: readonly Latencies[]): Latencies {
  const sums = new Map<number, number>()
  for (const [bucket, count] of all.flat()) sums.set(bucket, (sums.get(bucket) ?? 0) + count)
  return [...sums]
}
