import { readJson } from "../data-files.ts"

/** One engine with one size of index, as measured by `npm run bench -- engines`: all processes and copies together. */
export interface Measured {
  readonly engine: string
  readonly passages: number
  readonly pages: number
  /** CPU time for writing words, passages and ready-made vectors. */
  readonly loadCpuSeconds: number
  /** CPU time for a question at search depth `basic`. */
  readonly questionCpuMs: number
  /** Memory of the answering processes and of servers (PSS). */
  readonly memoryMb: number
  readonly diskMb: number
}

/** Where `npm run bench -- engines --write` stores its measurements. */
export const MEASURED = new URL("measured.json", import.meta.url)

const NUMBER = { type: "float64" } as const

export const readMeasured = (): readonly Measured[] =>
  readJson(MEASURED, {
    properties: {
      engines: {
        elements: {
          properties: {
            engine: { type: "string" },
            passages: NUMBER,
            pages: NUMBER,
            loadCpuSeconds: NUMBER,
            questionCpuMs: NUMBER,
            memoryMb: NUMBER,
            diskMb: NUMBER,
          },
        },
      },
    },
  }).engines

/** The resources that an engine needs for this many passages. */
export interface Needs {
  readonly diskMb: number
  readonly memoryMb: number
  readonly loadCpuSeconds: number
  readonly questionCpuMs: number
}

/**
 * The resources that an engine needs for `passages`, calculated from smaller measurements. Disk, memory and loading
 * times follow the line through the smallest and the largest index measured, even beyond the largest. A question's CPU
 * time follows a power of the index size, with an exponent calculated from the same two. With only one measurement,
 * everything but the question grows in proportion.
 *
 * @throws RangeError if there is no measurement
 */
export function needsOf(measured: readonly Measured[], passages: number): Needs {
  const sorted = measured.toSorted((a, b) => a.passages - b.passages)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError("nothing was measured")
  const line = (of: (one: Measured) => number): number => {
    if (first === last) return of(last) * (passages / last.passages)
    const slope = (of(last) - of(first)) / (last.passages - first.passages)
    return Math.max(0, of(last) + slope * (passages - last.passages))
  }
  return {
    diskMb: line(({ diskMb }) => diskMb),
    memoryMb: line(({ memoryMb }) => memoryMb),
    loadCpuSeconds: line(({ loadCpuSeconds }) => loadCpuSeconds),
    questionCpuMs: last.questionCpuMs * (passages / last.passages) ** exponent(first, last),
  }
}

/**
 * The exponent with which a question's CPU time grows with the index size, between 0 and 1: at best the time does not
 * grow at all, at worst in proportion, as if the whole index were read.
 */
function exponent(first: Measured, last: Measured): number {
  if (first === last) return 0
  const power = Math.log(last.questionCpuMs / first.questionCpuMs) / Math.log(last.passages / first.passages)
  return Math.min(1, Math.max(0, power))
}
