import type { ComponentChildren } from "preact"

import { Table } from "../../design/table.tsx"
import { atTime } from "../words.ts"

/** A chart's value at one point in time; null if unknown. */
export type Value = number | null

export interface Line {
  readonly name: string
  /** A colour from the design. */
  readonly tone: "accent" | "good" | "warn" | "bad" | "quiet"
  readonly values: readonly Value[]
}

const WIDTH = 100
const HEIGHT = 32

/** The points in time of the values. */
export interface Span {
  /** The start of each interval, in milliseconds since 1970. */
  readonly at: readonly number[]
  readonly from: number
  readonly to: number
  readonly stepMs: number
}

interface Shown extends Span {
  readonly as: "bars" | "lines"
  readonly lines: readonly Line[]
  /** The value at the top. Default: the largest value. */
  readonly most?: number | undefined
  readonly shown: (value: number) => string
}

/** Stacked bars, or lines, over time. A table below contains the same values. */
export function Chart({
  title,
  now,
  ...drawn
}: Shown & {
  readonly title: string
  /** The latest value, in words. */
  readonly now: ComponentChildren
}) {
  const { at, lines, shown } = drawn
  return (
    <figure class="measured">
      <figcaption>
        <span>{title}</span>
        <strong>{now}</strong>
      </figcaption>
      <Drawing {...drawn} />
      {lines.length > 1 && (
        <ul class="legend" aria-hidden="true">
          {lines.map(({ name, tone }) => (
            <li key={name} class={tone}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>
          As a table<span class="unseen">: {title}</span>
        </summary>
        <Table
          caption={title}
          label={`${title} as a table`}
          columns={[
            { heading: "From", cell: ({ time }) => atTime(new Date(time).toISOString()) },
            ...lines.map(({ name, values }) => ({
              heading: name,
              isNumber: true,
              cell: ({ index }: { readonly index: number }) =>
                values[index] == null ? "–" : shown(values[index]),
            })),
          ]}
          rows={at.map((time, index) => ({ time, index }))}
          keyOf={({ time }) => String(time)}
        />
      </details>
    </figure>
  )
}

function Drawing({ as, at, from, to, stepMs, lines, most, shown }: Shown) {
  const sums = at.map((_, i) => lines.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const highs = as === "bars" ? sums : lines.flatMap(({ values }) => values.map((value) => value ?? 0))
  const top = most ?? Math.max(0, ...highs)
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * WIDTH
  const y = (value: number) => HEIGHT - (top === 0 ? 0 : Math.min(1, value / top) * HEIGHT)
  const width = Math.max(0.15, (stepMs / Math.max(1, to - from)) * WIDTH * 0.8)
  return (
    <div class="drawing">
      <span class="top" aria-hidden="true">
        {shown(top)}
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {as === "bars"
          ? at.map((time, i) => {
              let under = 0
              return lines.map(({ name, tone, values }) => {
                const value = values[i] ?? 0
                const bottom = under
                under += value
                return value === 0 ? null : (
                  <rect
                    key={`${name} ${time}`}
                    class={tone}
                    x={x(time)}
                    y={y(under)}
                    width={width}
                    height={y(bottom) - y(under)}
                  />
                )
              })
            })
          : lines.map(({ name, tone, values }) => (
              <path
                key={name}
                class={tone}
                d={pathOf(at, values, stepMs, (time, value) => [x(time), y(value)])}
              />
            ))}
      </svg>
      <span class="times" aria-hidden="true">
        <span>{atTime(new Date(from).toISOString())}</span>
        <span>now</span>
      </span>
    </div>
  )
}

/** The line breaks where values are missing; a single point is drawn as a short stroke. */
function pathOf(
  at: readonly number[],
  values: readonly Value[],
  stepMs: number,
  place: (time: number, value: number) => readonly [number, number],
): string {
  let path = ""
  let before: number | null = null
  for (const [i, time] of at.entries()) {
    const value = values[i]
    if (value == null) {
      before = null
      continue
    }
    const isOn = before !== null && time - before <= stepMs * 1.5
    const [x, y] = place(time, value)
    path += isOn ? `L${x} ${y}` : `M${x} ${y}`
    const [end] = place(time + stepMs * 0.8, value)
    path += `L${end} ${y}`
    before = time
  }
  return path
}
