import { median } from "../../bench/measure.ts"

/** A value at one point in time. */
export interface Point {
  /** Seconds since the beginning. */
  readonly at: number
  readonly value: number
}

export interface Trend {
  /** The value at the end of the first part of the time. */
  readonly first: number
  readonly end: number
  /** Growth per hour after the first part. */
  readonly slope: number
}

/**
 * How values developed after the first part.
 * @param share of the total time that is the first part, 0..1
 */
export function trendOf(points: readonly Point[], share: number): Trend {
  const last = points.at(-1)?.at ?? 0
  const middle = (from: number, to: number) =>
    median(points.filter(({ at }) => at >= from * last && at <= to * last).map(({ value }) => value))
  return {
    first: middle(share / 2, share),
    end: middle(1 - share / 2, 1),
    slope: slopeOf(points.filter(({ at }) => at >= share * last)) * 3600,
  }
}

/** The slope, per second, of the straight line closest to all points (least squares); 0 for fewer than two points. */
export function slopeOf(points: readonly Point[]): number {
  const count = points.length
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / count
  const [at, value] = [mean((point) => point.at), mean((point) => point.value)]
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  const both = points.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0)
  return spread === 0 || count < 2 ? 0 : both / spread
}
