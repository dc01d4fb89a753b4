import { offLoop } from "#base/process/off-loop.ts"

/** A line of a comparison. */
interface Line {
  readonly kind: "same" | "gone" | "new"
  readonly text: string
}

/** Steps of the comparison at most; texts that differ more are shown as one that went and one that came. */
const MOST_EDITS = 500
/** Unchanged lines round a change. */
const CONTEXT = 3

/**
 * The difference of two texts as `git diff` writes it (unified, three lines of context); empty when there is none.
 * The shortest edit by lines after Myers (1986), in O((N+M)D).
 */
export function lineDiff(before: string, after: string): string {
  if (before === after) return ""
  const lines = compared(before.split("\n"), after.split("\n"))
  return ["--- previous", "+++ current", ...hunksOf(lines)].join("\n")
}

const write = offLoop(import.meta.url, lineDiff)

/** {@link lineDiff} for the event loop. @throws WorkError when it takes too long */
export const writeDiff = (before: string, after: string, signal: AbortSignal): Promise<string> =>
  write({ chars: before.length + after.length, signal }, before, after)

function compared(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore -= 1
    endAfter -= 1
  }
  const same = (text: string): Line => ({ kind: "same", text })
  return [
    ...before.slice(0, start).map(same),
    ...edits(before.slice(start, endBefore), after.slice(start, endAfter)),
    ...before.slice(endBefore).map(same),
  ]
}

function edits(before: readonly string[], after: readonly string[]): Line[] {
  const [n, m] = [before.length, after.length]
  const whole = (): Line[] => [
    ...before.map((text): Line => ({ kind: "gone", text })),
    ...after.map((text): Line => ({ kind: "new", text })),
  ]
  if (n === 0 || m === 0) return whole()
  // Furthest x on each diagonal k, before each number of edits.
  const trace: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let d = 0; d <= Math.min(n + m, MOST_EDITS); d += 1) {
    trace.push(furthest)
    const next = new Map(furthest)
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && furthest.get(k - 1)! < furthest.get(k + 1)!)
      let x = isDown ? furthest.get(k + 1)! : furthest.get(k - 1)! + 1
      while (x < n && x - k < m && before[x] === after[x - k]) x += 1
      next.set(k, x)
      if (x >= n && x - k >= m) return traced(trace, before, after)
    }
    furthest = next
  }
  return whole()
}

function traced(
  trace: readonly Map<number, number>[],
  before: readonly string[],
  after: readonly string[],
): Line[] {
  const lines: Line[] = []
  let [x, y] = [before.length, after.length]
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const furthest = trace[d]!
    const k = x - y
    const isDown = k === -d || (k !== d && furthest.get(k - 1)! < furthest.get(k + 1)!)
    const fromK = isDown ? k + 1 : k - 1
    const fromX = furthest.get(fromK)!
    const fromY = fromX - fromK
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0) && before[x - 1] === after[y - 1]) {
      lines.push({ kind: "same", text: before[x - 1]! })
      x -= 1
      y -= 1
    }
    if (d > 0) {
      lines.push(isDown ? { kind: "new", text: after[y - 1]! } : { kind: "gone", text: before[x - 1]! })
      x = fromX
      y = fromY
    }
  }
  return lines.reverse()
}

const SIGNS = { same: " ", gone: "-", new: "+" } as const

function* hunksOf(lines: readonly Line[]): Generator<string> {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue
    for (let i = Math.max(0, at - CONTEXT); i <= Math.min(lines.length - 1, at + CONTEXT); i += 1)
      isNear[i] = true
  }
  let [old, now] = [1, 1]
  for (let at = 0; at < lines.length;) {
    if (!isNear[at]) {
      // Far from any change, so in both.
      old += 1
      now += 1
      at += 1
      continue
    }
    let end = at
    while (end < lines.length && isNear[end]) end += 1
    const hunk = lines.slice(at, end)
    const [gone, come] = [
      hunk.filter(({ kind }) => kind !== "new"),
      hunk.filter(({ kind }) => kind !== "gone"),
    ]
    yield `@@ -${old},${gone.length} +${now},${come.length} @@`
    yield* hunk.map(({ kind, text }) => SIGNS[kind] + text)
    old += gone.length
    now += come.length
    at = end
  }
}
