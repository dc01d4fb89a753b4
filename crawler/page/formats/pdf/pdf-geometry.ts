/** A transformation matrix, with its numbers in the order that PDF uses (ISO 32000-1 §8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number]
export type Box = readonly [left: number, bottom: number, right: number, top: number]

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]
/** The tolerance, in points, when boxes are compared. */
export const SLACK = 1

export function matrixOf(given: ArrayLike<unknown> | null): Matrix {
  const number = (i: number) => Number(given?.[i] ?? IDENTITY[i])
  return [number(0), number(1), number(2), number(3), number(4), number(5)]
}

export const times = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
]

export function boxOf([a, b, c, d, e, f]: Matrix, [left, bottom, right, top]: Box): Box {
  const xs: number[] = []
  const ys: number[] = []
  for (const x of [left, right])
    for (const y of [bottom, top]) {
      xs.push(a * x + c * y + e)
      ys.push(b * x + d * y + f)
    }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

export const areaOf = ([left, bottom, right, top]: Box): number =>
  Math.max(0, right - left) * Math.max(0, top - bottom)

export const cut = (a: Box, b: Box): Box => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
]

export const holds = ([left, bottom, right, top]: Box, x: number, y: number): boolean =>
  x >= left && x <= right && y >= bottom && y <= top

export const meets = (a: Box, b: Box): boolean =>
  a[0] < b[2] + SLACK && b[0] < a[2] + SLACK && a[1] < b[3] + SLACK && b[1] < a[3] + SLACK && areaOf(b) > 0

export const isUpright = ([a, b, c, d]: Matrix): boolean => (b === 0 && c === 0) || (a === 0 && d === 0)

/** Whether a path is one upright box: it consists only of moves and lines, and all its points are corners of its bounds. */
export function isRectangle(paths: unknown, [left, bottom, right, top]: Box): boolean {
  const [path] = Array.isArray(paths) ? (paths as unknown[]) : []
  if (!ArrayBuffer.isView(path) || (path as Float32Array).length > MAX_BOX_PATH) return false
  const values = [...(path as Float32Array)]
  const near = (one: number, other: number) => Math.abs(one - other) < 0.01
  let moves = 0
  for (let at = 0; at < values.length;) {
    const kind = values[at]!
    if (kind === CLOSE) {
      at += 1
      continue
    }
    if (kind !== MOVE && kind !== LINE) return false
    if (kind === MOVE && (moves += 1) > 1) return at + 3 >= values.length
    const [x, y] = [values[at + 1]!, values[at + 2]!]
    if (!(near(x, left) || near(x, right)) || !(near(y, bottom) || near(y, top))) return false
    at += 3
  }
  return moves === 1
}

/** The steps of a path, in the library's notation. */
const [MOVE, LINE, CLOSE] = [0, 1, 4]
const MAX_BOX_PATH = 20
