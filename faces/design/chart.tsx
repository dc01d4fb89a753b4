import { Table } from "./table.tsx"

/** One value in a series. */
export interface ChartPoint {
  /** The time or subject of the value, such as `11 Mar`. */
  readonly label: string
  /** Null if unknown; the line has a gap there. */
  readonly value: number | null
}

/** Size of the drawing, in its own units; it is stretched to the available space, but its lines are not. */
const WIDTH = 600
const HEIGHT = 120
/** Distance from the edges, so that a line there is drawn completely. */
const MARGIN = 4

/**
 * A series of values, drawn as a line or as bars, with a table of all of them for users who can't see it or want exact
 * values. The drawing shows nothing that the table lacks.
 */
export function Chart({
  label,
  of,
  points,
  look = "line",
  least = 0,
  most,
  inWords = String,
}: {
  /** A name for the values; screen readers read it, and the smallest, the largest and the last value. */
  readonly label: string
  /** Heading of the values in the table. */
  readonly of: string
  readonly points: readonly ChartPoint[]
  readonly look?: "line" | "bars"
  /** The value at the bottom. */
  readonly least?: number
  /** The value at the top; default: the largest value. */
  readonly most?: number
  readonly inWords?: (value: number) => string
}) {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const head = most ?? Math.max(least, ...values)
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || values.length === 0) return null
  const at = (value: number) =>
    HEIGHT - MARGIN - ((value - least) / (head - least || 1)) * (HEIGHT - 2 * MARGIN)
  const said = `${label}: from ${inWords(Math.min(...values))} to ${inWords(Math.max(...values))}, last ${inWords(values.at(-1)!)}`
  return (
    <figure class="chart">
      <div class="plot">
        <p class="scale" aria-hidden="true">
          <span>{inWords(head)}</span>
          <span>{inWords(least)}</span>
        </p>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={said}>
          <path class="ground" d={`M0 ${MARGIN}H${WIDTH}M0 ${HEIGHT - MARGIN}H${WIDTH}`} />
          {look === "line" ? (
            <Line points={points} at={at} />
          ) : (
            <Bars points={points} at={at} inWords={inWords} />
          )}
        </svg>
        <p class="ends" aria-hidden="true">
          <span>{first.label}</span>
          {points.length > 1 && <span>{last.label}</span>}
        </p>
      </div>
      <details class="numbers-of">
        <summary>All values</summary>
        <Table
          caption={label}
          columns={[
            { heading: "When", cell: (point) => point.label },
            {
              heading: of,
              isNumber: true,
              cell: ({ value }) => (value === null ? "–" : inWords(value)),
            },
          ]}
          rows={points.map((point, index) => ({ ...point, index })).reverse()}
          keyOf={({ index }) => String(index)}
        />
      </details>
    </figure>
  )
}

interface Drawn {
  readonly points: readonly ChartPoint[]
  readonly at: (value: number) => number
}

function Line({ points, at }: Drawn) {
  const step = points.length > 1 ? (WIDTH - 2 * MARGIN) / (points.length - 1) : 0
  const x = (index: number) => (points.length > 1 ? MARGIN + index * step : WIDTH / 2)
  let isOpen = false
  const path = points.map(({ value }, index) => {
    const move = isOpen ? "L" : "M"
    isOpen = value !== null
    return value === null ? "" : `${move}${x(index)} ${at(value)}`
  })
  return (
    <>
      <path class="line" d={path.join("")} />
      {/* A line of zero length with a round end is a dot that stays round when the drawing is stretched. */}
      {points.map(({ label, value }, index) =>
        value === null ? null : (
          <path key={`${index} ${label}`} class="dot" d={`M${x(index)} ${at(value)}h0`} />
        ),
      )}
    </>
  )
}

function Bars({ points, at, inWords }: Drawn & { readonly inWords: (value: number) => string }) {
  const step = WIDTH / points.length
  return (
    <>
      {points.map(({ label, value }, index) =>
        value === null ? null : (
          <rect
            key={`${index} ${label}`}
            class="column"
            x={index * step + step * 0.14}
            width={step * 0.72}
            y={at(value)}
            height={HEIGHT - MARGIN - at(value)}
          >
            <title>{`${label}: ${inWords(value)}`}</title>
          </rect>
        ),
      )}
    </>
  )
}
