/** A stretch of a passage: lines of words, code, or a table. */
export type PassageBlock =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  /** `names`: of the columns; empty where they have none. */
  | {
      readonly kind: "table"
      readonly names: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const FENCE = /^(`{3,})[\w+#.-]*$/
const ROW = /^\|.*\|$/
const RULE = /^\|(?:-+\|)+$/

/**
 * What a passage of a result consists of. Besides its fences and tables it is plain text, which holds no other marks.
 * @param passage as an answer has it, so in content split at ` [...] `
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
    } else words.push(lines[at]!)
  }
  flush()
  return blocks
}

const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))
