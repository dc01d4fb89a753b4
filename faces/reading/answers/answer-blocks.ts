import { type PassageBlock, passageBlocks } from "../passages/passage-blocks.ts"

/** The appliance's fixed answer when no page contains one. */
export const NO_ANSWER = "No answer to this was found in the index."

/** A unit of an answer: the piece of the answer that a citation belongs to. */
export interface Unit {
  /** The unit's lines, items and cells, as plain text without Markdown's marks. */
  readonly pieces: readonly string[]
  /** Numbers of the results that the unit comes from, starting at 1. */
  readonly cites: readonly number[]
}

type Cited = {
  readonly unit: Unit
  /** Whether the unit ends here, so that its sources are shown. */
  readonly isLast: boolean
}

/** A block of an answer. A paragraph can contain several units, one after the other. */
export type AnswerBlock =
  | { readonly kind: "words"; readonly parts: readonly (Cited & { readonly text: string })[] }
  | (Exclude<PassageBlock, { kind: "words" }> & Cited)

/**
 * Splits an answer such as `To do so, run it. [1] Then wait. [2][3]` into blocks. Brackets within code and tables
 * aren't citations.
 *
 * @param isWhole whether the answer is complete; if not, trailing text that may still turn into a fence, a table or a
 * citation is left out, so that text already shown keeps its form
 */
export function answerBlocks(answer: string, isWhole = true): AnswerBlock[] {
  const blocks: AnswerBlock[] = []
  for (const { text, cites, isJoined } of citedTexts(isWhole ? answer : settled(answer))) {
    const own = passageBlocks(text)
    const unit = { pieces: own.flatMap(piecesOf), cites }
    for (const [at, block] of own.entries()) {
      const cited = { unit, isLast: at === own.length - 1 }
      const last = blocks.at(-1)
      if (block.kind !== "words") blocks.push({ ...block, ...cited })
      else {
        const part = { text: block.text, ...cited }
        if (at === 0 && isJoined && last?.kind === "words") {
          blocks[blocks.length - 1] = { kind: "words", parts: [...last.parts, part] }
        } else blocks.push({ kind: "words", parts: [part] })
      }
    }
  }
  return blocks
}

/** The results that an answer cites, each once. */
export const citesOf = (answer: string): readonly number[] => [
  ...new Set(citedTexts(answer).flatMap(({ cites }) => cites)),
]

const CITES = /(?:^|\s+)\[\d{1,2}\](?:\s?\[\d{1,2}\])*(?=\s|$)/g
const FENCE = /^`{3,}/

/** An answer, split after its citations. `isJoined`: whether the text continues the previous line. */
function citedTexts(answer: string) {
  const found: { text: string; cites: number[]; isJoined: boolean }[] = []
  let from = 0
  const add = (to: number, cites: number[]) => {
    const text = answer.slice(from, to)
    if (text.trim() === "") return
    found.push({ text, cites, isJoined: from > 0 && !/^\s*\n/.test(text) })
  }
  for (const match of withoutCode(answer).matchAll(CITES)) {
    add(
      match.index,
      [...match[0].matchAll(/\d+/g)].map(([number]) => Number(number)),
    )
    from = match.index + match[0].length
  }
  add(answer.length, [])
  return found
}

/** The answer with its code and the rows of its tables blanked out, at the same length. */
function withoutCode(answer: string): string {
  const lines = answer.split("\n")
  const fences = fencesOf(lines)
  return lines
    .map((line, at) => (fences[at] === "" && !line.startsWith("|") ? line : "x".repeat(line.length)))
    .join("\n")
}

/** For each line, the fence of the code block that it belongs to, including its opening and closing lines; otherwise an empty string. */
function fencesOf(lines: readonly string[]): string[] {
  let open = ""
  return lines.map((line) => {
    const fence = open === "" ? (FENCE.exec(line)?.[0] ?? "") : open
    open = line === open ? "" : fence
    return fence
  })
}

/** The part of an unfinished answer whose form will not change. Open code is closed. */
function settled(answer: string): string {
  const lines = answer.split("\n")
  const last = lines.pop()!
  // An empty line neither opens nor closes a block.
  const fence = fencesOf([...lines, ""]).at(-1)!
  if (fence !== "") {
    // The backticks may be the first half of the closing fence.
    const code = (/^`+$/.test(last) ? lines : [...lines, last]).join("\n").trimEnd()
    return `${code}\n${fence}`
  }
  if (!/^[`|]/.test(last)) lines.push(last.replace(BEGUN, ""))
  // A row only counts as a table's header once the line below it has arrived.
  const end = lines.findLastIndex((line) => line !== "")
  const isAlone = lines[end]?.startsWith("|") === true && lines[end - 1]?.startsWith("|") !== true
  return (isAlone ? lines.slice(0, end) : lines).join("\n")
}

/** Trailing text that may still turn into a citation or a list marker. */
const BEGUN = /(?:^|\s+)\[\d{0,2}$|\s+$|^ *(?:\d{1,9}[.)]?|-)? *$/

function piecesOf(block: PassageBlock): readonly string[] {
  if (block.kind === "list") return block.items.map((item) => itemOf(item).text)
  if (block.kind === "table") return [block.names, ...block.rows].flat().filter((cell) => cell !== "")
  return block.text.split("\n").filter((line) => line.trim() !== "")
}

/** An item of a list without its mark. `number`: null in an unnumbered list. */
export interface Item {
  readonly text: string
  readonly number: number | null
  readonly items: readonly Item[]
}

const MARK = /^( *)(?:(\d{1,9})[.)]|-) +/

function itemOf(line: string) {
  const [mark = "", indent = "", number] = MARK.exec(line) ?? []
  return {
    text: line.slice(mark.length),
    number: number === undefined ? null : Number(number),
    depth: indent.length,
  }
}

/** The items of a list, nested by indent. Items with numbers and items without are separate lists. */
export function listsOf(lines: readonly string[]): Item[][] {
  const items = lines.map(itemOf)
  const lists: Item[][] = []
  for (let at = 0; at < items.length;) {
    const { depth, ...item } = items[at]!
    let end = at + 1
    while (end < items.length && items[end]!.depth > depth) end++
    const below = listsOf(lines.slice(at + 1, end)).flat()
    const last = lists.at(-1)
    const isSame = last !== undefined && (last[0]!.number === null) === (item.number === null)
    if (isSame) last.push({ ...item, items: below })
    else lists.push([{ ...item, items: below }])
    at = end
  }
  return lists
}
