import { formulaEnd } from "#engine/text/markdown/formula-end.ts"
import { offLoop } from "#base/process/threads/off-loop.ts"

/**
 * The plain text of markdown written by this folder: no marks, addresses or image descriptions. Code is kept unchanged,
 * list items keep their dash, and a table row becomes one line with its cells separated by tabs.
 */
export function toPlainText(markdown: string): string {
  const lines: string[] = []
  let fence: string | null = null
  for (const line of markdown.split("\n")) {
    const marker = /^[\s>]*(?:(?:[-*:]|\d+[.)]) )*(`{3,})/.exec(line)?.[1]
    if (fence !== null) {
      if (marker !== undefined && marker.length >= fence.length && /^[\s>]*`+$/.test(line)) fence = null
      else lines.push(line)
      continue
    }
    if (marker !== undefined && !line.slice(line.indexOf(marker) + marker.length).includes("`")) {
      fence = marker
      continue
    }
    const text = lineText(line)
    if (text !== null) lines.push(text)
  }
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/** {@link toPlainText} without blocking the event loop. */
export const writeAsText = offLoop(import.meta.url, toPlainText)

function lineText(line: string): string | null {
  if (/^[\s>]*(?:-{3,}|\|(?: (?:---)? \|)+)$/.test(line)) return null
  // Consecutive lists have different markers, but readers don't need to tell them apart.
  const content = line
    .replace(/^(?:> ?)+/, "")
    .replace(/^(\s*)\*(?= )/, "$1-")
    .trimEnd()
  if (content.startsWith("| ") && content.endsWith(" |")) {
    return content
      .slice(2, -2)
      .split(/(?<!\\) \| /)
      .map((cell) => inlineText(cell.replaceAll("\\|", "|")))
      .join("\t")
  }
  return inlineText(content.replace(/^(\s*(?:(?:[-:]|\d+[.)]) )*)#{1,6} /, "$1").replace(/^(\s*): /, "$1"))
}

/** Processes a line in one pass, in time linear in its length: escapes, code spans, images, links and emphasis marks. */
function inlineText(text: string): string {
  if (!/[\\`*_[\]~!]/.test(text)) return text
  const out: string[] = []
  let i = 0
  /** From here on, runs of at least this many backticks are never closed. */
  let unclosed = Number.POSITIVE_INFINITY
  // The positions where links and images open, so that `](…)` can be dropped when it closes one.
  const open: { at: number; image: boolean }[] = []
  /** The positions of underscores that close emphasis. */
  const closers = new Set<number>()
  while (i < text.length) {
    const char = text[i]!
    if (char === "\\" && i + 1 < text.length && /[!-/:-@[-`{-~]/.test(text[i + 1]!)) {
      out.push(text[i + 1]!)
      i += 2
    } else if (char === "`") {
      let run = 1
      while (text[i + run] === "`") run++
      const end = run >= unclosed ? -1 : text.indexOf("`".repeat(run), i + run)
      if (end === -1) {
        unclosed = Math.min(unclosed, run)
        out.push(text.slice(i, i + run))
        i += run
      } else {
        out.push(text.slice(i + run, end).replace(/^ (`.*|.*`) $/, "$1"))
        i = end + run
      }
    } else if (char === "$") {
      const end = Math.max(i + 1, formulaEnd(text, i))
      out.push(text.slice(i, end))
      i = end
    } else if (char === "!" && text[i + 1] === "[") {
      open.push({ at: out.length, image: true })
      i += 2
    } else if (char === "[") {
      open.push({ at: out.length, image: false })
      i++
    } else if (char === "]" && text[i + 1] === "(" && open.length > 0) {
      const opener = open.pop()!
      if (opener.image) out.length = opener.at
      const end = destinationEnd(text, i + 2)
      i = end === -1 ? text.length : end + 1
    } else if (char === "*" || (char === "~" && text[i + 1] === "~")) {
      let run = 1
      while (text[i + run] === char) run++
      i += run
    } else if (char === "_") {
      let run = 1
      while (text[i + run] === "_") run++
      const end = closers.has(i) ? i : underscoreCloser(text, i, run)
      if (end === -1) out.push(text.slice(i, i + run))
      else closers.add(end)
      i += run
    } else {
      const from = i++
      while (i < text.length && !"\\`![]*~_$".includes(text[i]!)) i++
      out.push(text.slice(from, i))
    }
  }
  return out.join("")
}

/** An address, in angle brackets or without parentheses, and optionally a title in quotes, which can contain parentheses. */
const TITLED = /(?:<[^<>\n]*>|[^\s()<>]*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y

/** The index of the parenthesis that closes an address and its title, or -1. */
function destinationEnd(text: string, from: number): number {
  TITLED.lastIndex = from
  return TITLED.test(text) ? TITLED.lastIndex - 1 : text.indexOf(")", from)
}

const MOST_UNDERSCORES = 20
const WORD_SIGN = /[\p{L}\p{N}]/u

/**
 * The position of the underscores that close the emphasis opened at `from`, or -1: emphasis as in `__init__`, but not
 * `_private` or `a_b_c` (CommonMark §6.2). Authors write such emphasis; this folder escapes underscores.
 */
function underscoreCloser(text: string, from: number, run: number): number {
  const isWord = (at: number) => WORD_SIGN.test(text[at] ?? "")
  const isSpace = (at: number) => /^\s?$/.test(text[at] ?? "")
  if (run > 3 || isWord(from - 1) || isSpace(from + run)) return -1
  let at = text.indexOf("_", from + run)
  for (let tries = 0; at !== -1 && tries < MOST_UNDERSCORES; tries++) {
    let end = at
    while (text[end] === "_") end++
    if (end - at === run && !isSpace(at - 1) && !isWord(end) && text[at - 1] !== "\\") return at
    at = text.indexOf("_", end)
  }
  return -1
}
