import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff"

import { offLoop } from "#base/process/threads/off-loop.ts"

/** Maximum number of removed and added lines; for texts that differ more, everything between their common ends is shown as removed and added. */
const MOST_EDITS = 500
/** Number of unchanged lines around a change. */
const CONTEXT = 3

type Hunk = ReturnType<typeof structuredPatch>["hunks"][number]

/**
 * The line diff of two texts in the unified format, as `git diff` writes it, without the lines that name files; empty
 * if the texts are the same. A line break at the end of a text is not a difference.
 */
export function unifiedDiff(before: string, after: string): string {
  const [old, now] = [ended(before), ended(after)]
  if (old === now) return ""
  const found = structuredPatch("", "", old, now, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MOST_EDITS,
  })
  const hunks = found?.hunks ?? [wholeHunk(linesOf(old), linesOf(now))]
  return formatPatch({ hunks, ...NAMES }, OMIT_HEADERS).slice(0, -1)
}

const NAMES = { oldFileName: "", newFileName: "", oldHeader: undefined, newHeader: undefined }

const write = offLoop(import.meta.url, unifiedDiff)

/** {@link unifiedDiff} off the event loop. @throws WorkError when it takes too long, or the reason of `signal` */
export const writeDiff = (before: string, after: string, signal: AbortSignal): Promise<string> =>
  write({ chars: before.length + after.length, signal }, before, after)

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)

const linesOf = (text: string): string[] => text.slice(0, -1).split("\n")

function wholeHunk(before: readonly string[], after: readonly string[]): Hunk {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let same = 0
  const most = Math.min(before.length, after.length) - start
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1
  const from = Math.max(0, start - CONTEXT)
  const behind = Math.min(same, CONTEXT)
  const [endBefore, endAfter] = [before.length - same, after.length - same]
  return {
    oldStart: from + 1,
    oldLines: endBefore + behind - from,
    newStart: from + 1,
    newLines: endAfter + behind - from,
    lines: [
      ...before.slice(from, start).map((line) => ` ${line}`),
      ...before.slice(start, endBefore).map((line) => `-${line}`),
      ...after.slice(start, endAfter).map((line) => `+${line}`),
      ...before.slice(endBefore, endBefore + behind).map((line) => ` ${line}`),
    ],
  }
}
