import { plainWords } from "../words.ts"

/** A stretch of a passage: lines of words, a list, code, or a table. */
export type PassageBlock =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "code"; readonly text: string }
  /** `names`: column names; empty if there are none. */
  | {
      readonly kind: "table"
      readonly names: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const FENCE = /^(`{3,})[\w+#.-]*$/
const ROW = /^\|.*\|$/
const ITEM = /^ *(?:-|\d{1,9}[.)]) \S/
const RULE = /^\|(?:-+\|)+$/

/**
 * Splits a passage of a result into blocks. Outside of fences and tables it is plain text, with a list's marks before
 * its items.
 * @param passage one of the passages in `content`, which are joined with ` [...] `
 */
export function passageBlocks(passage: string): PassageBlock[] {
  const blocks: PassageBlock[] = []
  const lines = passage.trim().split("\n")
  let words: string[] = []
  const flush = () => {
    const text = words.join("\n").trim()
    if (text !== "") blocks.push({ kind: "words", text })
    words = []
  }
  for (let at = 0; at < lines.length; at++) {
    const fence = FENCE.exec(lines[at]!)?.[1]
    const end = fence === undefined ? -1 : lines.indexOf(fence, at + 1)
    if (end > 0) {
      flush()
      blocks.push({ kind: "code", text: lines.slice(at + 1, end).join("\n") })
      at = end
    } else if (ROW.test(lines[at]!) && RULE.test(lines[at + 1] ?? "")) {
      flush()
      const from = at
      for (at += 1; ROW.test(lines[at + 1] ?? ""); at++);
      const [names = [], ...rows] = lines.slice(from, at + 1).map(cellsOf)
      blocks.push({ kind: "table", names: names.join("") === "" ? [] : names, rows: rows.slice(1) })
    } else if (ITEM.test(lines[at]!)) {
      flush()
      const from = at
      while (ITEM.test(lines[at + 1] ?? "")) at++
      blocks.push({ kind: "list", items: lines.slice(from, at + 1) })
    } else words.push(lines[at]!)
  }
  flush()
  return blocks
}

/** A few neighbouring lines of code, rows of a table or items of a list. */
export interface Extract<One> {
  readonly shown: readonly One[]
  readonly isCutBefore: boolean
  readonly isCutAfter: boolean
}

/**
 * The neighbouring lines with the most words searched for; if several stretches have equally many, the first.
 * @param most maximum number of lines
 * @param textOf returns the text of a line
 */
export function extractOf<One>(
  lines: readonly One[],
  most: number,
  wanted: ReadonlySet<string>,
  textOf: (line: One) => string,
): Extract<One> {
  const hits = lines.map((line) => new Set(plainWords(textOf(line)).filter((word) => wanted.has(word))).size)
  let start = 0
  let best = 0
  for (let from = 0; from + most <= lines.length; from++) {
    const sum = hits.slice(from, from + most).reduce((all, one) => all + one, 0)
    if (sum > best) [start, best] = [from, sum]
  }
  const shown = lines.slice(start, start + most)
  return { shown, isCutBefore: start > 0, isCutAfter: start + shown.length < lines.length }
}

const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))
