import type { StoredForest } from "../../crawler/extract/block-model.ts"
import { randomNumbers } from "./random.ts"

const BINS = 64
const TREES = 120
const LEAVES = 24
const DEPTH = 6
const RATE = 0.1
const MIN_WEIGHT = 0.3
const MIN_ROWS = 40
const L2 = 1
const ROW_SHARE = 0.4
const COLUMN_SHARE = 0.3

/** Every measure of every row as one of 64 bins, by columns. */
export interface Binned {
  readonly edges: readonly Float32Array[]
  readonly columns: readonly Uint8Array[]
}

export function binColumns(values: Float32Array, rows: number, width: number): Binned {
  const edges: Float32Array[] = []
  const columns: Uint8Array[] = []
  const step = Math.max(1, Math.floor(rows / 40_000))
  for (let column = 0; column < width; column++) {
    const sample: number[] = []
    for (let i = 0; i < rows; i += step) sample.push(values[i * width + column]!)
    const sorted = Float32Array.from(sample).toSorted()
    const found: number[] = []
    for (let bin = 1; bin < BINS; bin++) {
      const value = sorted[Math.floor((bin * sorted.length) / BINS)]!
      if (found.length === 0 || value > found.at(-1)!) found.push(value)
    }
    const bins = new Uint8Array(rows)
    for (let i = 0; i < rows; i++) bins[i] = binOf(found, values[i * width + column]!)
    edges.push(Float32Array.from(found))
    columns.push(bins)
  }
  return { edges, columns }
}

/** How many edges are at or below a value. */
function binOf(edges: readonly number[], value: number): number {
  let low = 0
  let high = edges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (value >= edges[middle]!) low = middle + 1
    else high = middle
  }
  return low
}

interface Node {
  readonly rows: Int32Array
  readonly depth: number
  readonly gradient: number
  readonly hessian: number
  /** Gradients and hessians by column and bin. */
  readonly histogram: Float64Array
  readonly value: number
  gain: number
  column: number
  bin: number
  left: Node | null
  right: Node | null
}

/**
 * Gradient-boosted trees on the logistic loss, grown leaf by leaf over histograms (Friedman 2001; Chen and Guestrin
 * 2016; Ke et al. 2017). `labels` may be shares.
 */
export function trainForest(
  data: Binned,
  labels: ArrayLike<number>,
  weights: ArrayLike<number>,
  used: readonly number[],
): StoredForest {
  const random = randomNumbers(42)
  const width = data.columns.length
  const gradients = new Float64Array(labels.length)
  const hessians = new Float64Array(labels.length)
  let whole = 0
  let yes = 0
  for (const i of used) {
    whole += weights[i]!
    yes += weights[i]! * labels[i]!
  }
  const base = Math.log(yes / (whole - yes))
  const scores = new Float64Array(labels.length).fill(base)
  const trees: number[][] = []
  while (trees.length < TREES) {
    const rows: number[] = []
    for (const i of used) {
      if (random() >= ROW_SHARE) continue
      const p = 1 / (1 + Math.exp(-scores[i]!))
      gradients[i] = weights[i]! * (p - labels[i]!)
      hessians[i] = weights[i]! * Math.max(1e-6, p * (1 - p))
      rows.push(i)
    }
    const columns: number[] = []
    for (let column = 0; column < width; column++) if (random() < COLUMN_SHARE) columns.push(column)
    const root = growTree(data, columns, Int32Array.from(rows), gradients, hessians)
    for (const i of used) {
      let node = root
      while (node.left) node = data.columns[node.column]![i]! <= node.bin ? node.left : node.right!
      scores[i]! += node.value
    }
    trees.push(storedTree(root, data))
  }
  return { base: rounded(base, 5), trees }
}

function growTree(
  data: Binned,
  columns: readonly number[],
  rows: Int32Array,
  gradients: Float64Array,
  hessians: Float64Array,
): Node {
  const histogramOf = (of: Int32Array) => {
    const histogram = new Float64Array(columns.length * BINS * 2)
    columns.forEach((column, c) => {
      const bins = data.columns[column]!
      const from = c * BINS * 2
      for (const i of of) {
        const at = from + 2 * bins[i]!
        histogram[at]! += gradients[i]!
        histogram[at + 1]! += hessians[i]!
      }
    })
    return histogram
  }
  const nodeOf = (of: Int32Array, depth: number, histogram: Float64Array): Node => {
    let gradient = 0
    let hessian = 0
    for (const i of of) {
      gradient += gradients[i]!
      hessian += hessians[i]!
    }
    const value = (-RATE * gradient) / (hessian + L2)
    const node: Node = {
      rows: of,
      depth,
      gradient,
      hessian,
      histogram,
      value,
      gain: 0,
      column: -1,
      bin: 0,
      left: null,
      right: null,
    }
    if (depth < DEPTH && of.length >= MIN_ROWS) findSplit(node, data, columns)
    return node
  }
  const root = nodeOf(rows, 0, histogramOf(rows))
  const open = [root]
  for (let leaves = 1; leaves < LEAVES; leaves++) {
    const best = open.reduce((most, node) => (node.gain > most.gain ? node : most), open[0]!)
    if (best.gain <= 1e-6) break
    open.splice(open.indexOf(best), 1)
    const bins = data.columns[best.column]!
    const left = best.rows.filter((i) => bins[i]! <= best.bin)
    const right = best.rows.filter((i) => bins[i]! > best.bin)
    const small = histogramOf(left.length < right.length ? left : right)
    // The other side's is what the small one leaves of their parent's.
    const large = best.histogram
    for (let k = 0; k < large.length; k++) large[k]! -= small[k]!
    const leftIsSmall = left.length < right.length
    best.left = nodeOf(left, best.depth + 1, leftIsSmall ? small : large)
    best.right = nodeOf(right, best.depth + 1, leftIsSmall ? large : small)
    open.push(best.left, best.right)
  }
  return root
}

function findSplit(node: Node, data: Binned, columns: readonly number[]): void {
  const { histogram, gradient, hessian } = node
  const own = gradient ** 2 / (hessian + L2)
  columns.forEach((column, c) => {
    let g = 0
    let h = 0
    for (let bin = 0, at = c * BINS * 2; bin < data.edges[column]!.length; bin++, at += 2) {
      g += histogram[at]!
      h += histogram[at + 1]!
      if (h < MIN_WEIGHT || hessian - h < MIN_WEIGHT) continue
      const gain = g ** 2 / (h + L2) + (gradient - g) ** 2 / (hessian - h + L2) - own
      if (gain <= node.gain) continue
      node.gain = gain
      node.column = column
      node.bin = bin
    }
  })
}

function storedTree(root: Node, data: Binned): number[] {
  const stored: number[] = []
  const visit = (node: Node): void => {
    if (!node.left || !node.right) {
      stored.push(-1, rounded(node.value, 3))
      return
    }
    stored.push(node.column, rounded(data.edges[node.column]![node.bin]!, 5))
    visit(node.left)
    visit(node.right)
  }
  visit(root)
  return stored
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits))
}
