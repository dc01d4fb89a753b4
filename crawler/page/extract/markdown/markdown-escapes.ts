import { formulaEnd } from "#engine/text/markdown/formula-end.ts"

/** Escapes text that markdown would read as inline marks, and collapses white space to single spaces. */
export function escapeText(text: string): string {
  const single = text.replace(/[\s\0\u200B\uFDD2\uFEFF]+/g, " ")
  // Most text has none of these characters, and the test is far cheaper than the replacements.
  if (!/[\\`*[\]_<~&]/.test(single)) return single
  const escaped = single
    .replace(/[\\`*[\]]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/<(?=[a-z/!?])/gi, "\\<")
    .replace(/~(?=~)/g, "\\~")
    .replace(/&(?=#?\w{1,31};)/g, "\\&")
  return escaped.includes("$") ? escapeFormulas(escaped) : escaped
}

/** Markdown ignores escapes inside formulas, so text that contains escapes must not look like a formula. */
function escapeFormulas(escaped: string): string {
  let written = ""
  for (let at = 0; at < escaped.length;) {
    const char = escaped[at]!
    const end = char === "$" ? formulaEnd(escaped, at) : -1
    const part = escaped.slice(at, char === "\\" ? at + 2 : Math.max(at + 1, end))
    const isEscaped = end > at && part.includes("\\")
    written += isEscaped ? "\\$" : part
    at += isEscaped ? 1 : part.length
  }
  return written
}

// Characters that would turn a paragraph's line into a heading, quote, list, description of a term, rule, fence, table
// or setext underline.
const LINE_START = /^( {0,3})(#(?=#{0,5}(?: |$))|>|[-+:](?= |$)|-(?=-)|=(?==*\s*$)|~(?=~~)|\|)/gm

/** Escapes anything that markdown would read as a block marker at the start of a paragraph's line. */
export function protectLineStarts(paragraph: string): string {
  return paragraph
    .replace(LINE_START, (_all, start: string, marker: string) => `${start}\\${marker}`)
    .replace(/^( {0,3}\d{1,9})([.)])(?= |$)/gm, "$1\\$2")
}

/** The maximum number of backtick runs measured in one text. */
const MAX_RUNS = 100

/** A code block, with a fence longer than any in the code. */
export function fenced(code: string): string {
  const runs = (code.match(/`{3,}/g) ?? []).slice(0, MAX_RUNS)
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  return `${fence}\n${code}\n${fence}`
}
