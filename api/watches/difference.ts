import { createTwoFilesPatch } from "diff"

/** Milliseconds after which a difference is given up: it would hold up all calls. */
const TIMEOUT_MS = 200
/** Lines around each change. */
const CONTEXT = 2
/** Characters of a difference that are kept. */
const MOST_CHARS = 20_000
const HEAD_LINES = 2

/**
 * What changed in a text, in the unified format, without the lines that name files; null when nothing did, or it took too long.
 */
export function difference(before: string, after: string): string | null {
  if (before === after) return null
  const patch = createTwoFilesPatch("before", "after", before, after, undefined, undefined, {
    context: CONTEXT,
    timeout: TIMEOUT_MS,
  })
  if (patch === undefined) return null
  const from = patch.indexOf("--- before")
  const lines = patch
    .slice(from)
    .split("\n")
    .slice(HEAD_LINES)
    .filter((line) => !line.startsWith("\\ No newline"))
  const text = lines.join("\n").trimEnd()
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS).toWellFormed()}\n…`
}
