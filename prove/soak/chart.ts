import type { Point } from "./trend.ts"

/** One line of the chart, with its own scale. */
export interface Curve {
  readonly name: string
  readonly points: readonly Point[]
  /** Formats a value for people. */
  readonly show: (value: number) => string
}

const WIDTH = 760
const HEIGHT = 70
const LEFT = 120
const RIGHT = 90
const GAP = 18
const FOOT = 24
/** Maximum number of points: more than the eye can tell apart only make the file larger. */
const MOST_POINTS = 240

/** An SVG picture of curves one above the other, over the same time; the scale of each begins at zero. */
export function chart(curves: readonly Curve[]): string {
  const end = Math.max(1, ...curves.flatMap(({ points }) => points.map(({ at }) => at)))
  const height = curves.length * (HEIGHT + GAP) + FOOT
  const x = (at: number) => LEFT + (at / end) * (WIDTH - LEFT - RIGHT)
  const rows = curves.map((curve, row) => {
    const top = row * (HEIGHT + GAP) + GAP / 2
    const most = Math.max(...curve.points.map(({ value }) => value), Number.MIN_VALUE)
    const y = (value: number) => top + HEIGHT - (value / most) * HEIGHT
    const line = thinned(curve.points).map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
    return `<text x="${LEFT - 10}" y="${top + HEIGHT / 2}" text-anchor="end">${curve.name}</text>
<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${top + HEIGHT}" y2="${top + HEIGHT}" stroke="#888" stroke-width=".5"/>
<polyline points="${line.join(" ")}" fill="none" stroke="#2563eb" stroke-width="1.5"/>
<text x="${WIDTH - RIGHT + 8}" y="${top + 10}">${curve.show(most)}</text>
<text x="${WIDTH - RIGHT + 8}" y="${top + HEIGHT}">0</text>`
  })
  const minutes = Math.round(end / 60)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#666">
${rows.join("\n")}
<text x="${LEFT}" y="${height - 6}">0 min</text>
<text x="${WIDTH - RIGHT}" y="${height - 6}" text-anchor="end">${minutes} min</text>
</svg>
`
}

function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS)
  return points.filter((_, at) => at % step === 0 || at === points.length - 1)
}
