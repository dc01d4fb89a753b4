import { holdsModelOrder } from "../text/model-orders.ts"
import { isStopWord } from "../text/analysis/stop-words.ts"
import type { Hit } from "../engine.ts"
import { type Block, blocksOf } from "../text/markdown-blocks.ts"
import { isBoldLine, isStruck, lineKey, type PageMarks, marksOf } from "./page-marks.ts"
import { splitSentences } from "./sentences.ts"

/** What a page says in one piece: a sentence, a row of a table, code, or a sentence and the code or list it announces. */
export interface Statement {
  /** Verbatim, but for white space. */
  readonly text: string
  /** Position of the page among the hits, from 0. */
  readonly source: number
  /** Place among the page's statements, in the page's order. */
  readonly position: number
  /** Place among the page's best passages of the one it stands in, from 0; infinite when it stands in none. */
  readonly rank: number
  readonly kind: "prose" | "item" | "row" | "code"
  /** The headings above it, outermost first; the page title is the first. */
  readonly headings: readonly string[]
  /** The statement right before it in its paragraph. */
  readonly before: Statement | null
  /** It makes no sense without the one before: it begins with "It", "However" and the like. */
  readonly dangling: boolean
  /** It, or something before it in its block, gives orders to language models: nobody is to be told it. */
  readonly addressesModels: boolean
}

/** What is looked at: the page's title, its text, and which parts of it the search found best. */
export type StatedIn = Pick<Hit, "title" | "markdown" | "passages" | "language">

/** A page with a longer text is read by its best passages alone: reading all of it would hold up other requests. */
export const MAX_PAGE_CHARS = 200_000
/** A sentence takes the code or the list that it announces along, when that is no longer. */
const MAX_ANNOUNCED_CHARS = 400
const MAX_STATEMENT_CHARS = 600
const MAX_CODE_LINES = 3
/** So many characters of a block tell which passage it stands in. */
const KEY_CHARS = 60

const DANGLING =
  /^[("“]?(?:it|its|they|their|them|this(?! (?:page|module|document|library|package|guide|manual|chapter|article)\b)|these|those|that|he|she|his|her|such|both|neither|either|however|but|and|or|so|also|then|thus|hence|therefore|instead|otherwise|moreover|furthermore|besides|likewise|similarly|conversely|nevertheless|nonetheless|consequently|accordingly|additionally|still|yet|else|again|here|further|there(?! (?:is|are|was|were)\b)|in (?:this|that|these|those|such|both|either|addition|contrast|particular|other words|short|fact)|for (?:this|that|these|example|instance)|as a result|as (?:above|below|described|shown|noted)|on the (?:other hand|contrary)|at (?:this|that) point|after that|with (?:this|that|these)|because (?:of )?(?:this|that|it|they)|if (?:so|not|it|they)|the (?:former|latter|same|above|following)|note (?:too|also)|see|er|sie|es|dies|diese|dieser|dieses|aber|und|oder|doch|jedoch|außerdem|deshalb|daher|dadurch|dann|elle|ils|elles|ce|cela|ceci|cette|mais|et|donc|ainsi|cependant|esto|esta|este|pero|además|sin embargo)(?=[\s,.;:’'])/iu

/**
 * What a page states, in its order, read from those of its parts that the search found best or that `concerns` is
 * true for. Headings are no statements, nor are questions, scraps of text, or what the page has struck out.
 *
 * @param concerns whether a part is of interest, by its text and the headings above it
 */
export function statementsOf(
  hit: StatedIn,
  source: number,
  concerns: (text: string) => boolean,
): Statement[] {
  const marks = marksOf(hit.markdown)
  const passages = hit.passages.map((passage) => lineKey(passage.text))
  const statements: Statement[] = []
  for (const { block, next, headings } of sectioned(hit, marks)) {
    const key = lineKey(block.text).slice(0, KEY_CHARS)
    const found = passages.findIndex((passage) => passage.includes(key))
    if (found === -1 && !concerns([...headings.slice(1), block.text].join("\n"))) continue
    const rank = found === -1 ? Number.POSITIVE_INFINITY : found
    const place = { source, rank, headings, marks, language: hit.language }
    for (const made of fromBlock(block, next, place)) {
      // The one before is the same object, so that both can be told to be neighbours.
      statements.push(Object.assign(made, { position: statements.length }))
    }
  }
  return statements
}

interface Sectioned {
  readonly block: Block
  readonly next: Block | undefined
  readonly headings: readonly string[]
}

/** The blocks that are no headings, with those above them. */
function sectioned({ title, markdown, passages }: StatedIn, marks: PageMarks): Sectioned[] {
  if (markdown === "" || markdown.length > MAX_PAGE_CHARS) {
    return passages.map(({ text, headings }) => ({
      block: { kind: "text", line: 0, text },
      next: undefined,
      headings: [title, ...headings],
    }))
  }
  const blocks = blocksOf(markdown)
  const found: Sectioned[] = []
  const path: { depth: number; text: string }[] = []
  let lead: string[] = []
  for (const [at, block] of blocks.entries()) {
    if (block.kind === "heading") {
      while (path.length > 0 && path.at(-1)!.depth >= block.depth) path.pop()
      path.push(block)
      lead = []
    } else if (block.kind === "text" && isBoldLine(marks, block.text)) {
      lead = [lineKey(block.text)]
    } else {
      const headings = [title, ...path.map(({ text }) => text), ...lead]
      found.push({ block, next: blocks[at + 1], headings })
    }
  }
  return found
}

interface Place extends Pick<Statement, "source" | "rank" | "headings"> {
  readonly marks: PageMarks
  readonly language: string | null
}

function fromBlock(block: Block, next: Block | undefined, { marks, language, ...place }: Place): Statement[] {
  // What announces an order is as little said to readers as what follows one.
  const orders = holdsModelOrder(next?.kind === "code" ? `${block.text}\n${next.text}` : block.text)
  const base = { ...place, position: 0, before: null, dangling: false, addressesModels: orders }
  const lines = block.text.split("\n")
  if (block.kind === "code") {
    return lines.length <= MAX_CODE_LINES && !isMarkdown(block.text)
      ? [{ ...base, text: block.text, kind: "code" }]
      : []
  }
  const isTable = lines.length > 1 && lines.every((line) => line.includes(" | "))
  const kind = isTable ? "row" : /^(?:-|\d{1,9}[.)]) /.test(block.text) ? "item" : "prose"
  // The first row names the columns.
  if (isTable)
    return lines.slice(1).map((line) => ({ ...base, text: withoutEmptyCells(lineKey(line)), kind }))
  const statements: Statement[] = []
  let said = ""
  for (const [at, line] of lines.entries()) {
    let before: Statement | null = null
    for (const sentence of splitSentences(withoutMarker(lineKey(line)), language)) {
      const isLast = at === lines.length - 1 && line.endsWith(sentence)
      const announced = isLast && /[:：]$/.test(sentence) ? announcedBy(next) : null
      const text = announced === null ? sentence : `${sentence}\n${announced}`
      const fits = isWhole(text, kind, language) && !isStruck(marks, sentence)
      if (orders) said += `${text} `
      const addressesModels = orders && holdsModelOrder(said)
      const statement: Statement = {
        ...base,
        text,
        kind,
        before,
        dangling: DANGLING.test(sentence),
        addressesModels,
      }
      if (fits) statements.push(statement)
      before = fits ? statement : null
    }
  }
  return statements
}

const announcedBy = (next: Block | undefined): string | null =>
  next?.kind === "code" && next.text.length <= MAX_ANNOUNCED_CHARS && !isMarkdown(next.text)
    ? next.text
    : null

/** Whether a text can be said by itself: no question, no rest or beginning of a sentence, no label. */
function isWhole(text: string, kind: Statement["kind"], language: string | null): boolean {
  if (text.length > MAX_STATEMENT_CHARS || /^\(?see\b/i.test(text) || /[?？:：]["'”’)]*$/.test(text))
    return false
  const [first = ""] = /^\p{Ll}[\p{L}'’]*/u.exec(text) ?? []
  if (first !== "" && isStopWord(first, language)) return false
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{6}/u.test(text)
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  if (words < 3 && !unspaced) return false
  const ended = text.includes("\n") || /[.!。！…]["'”’)\]]*$/.test(text)
  return ended || unspaced || (kind === "item" && words >= 4)
}

const withoutEmptyCells = (row: string): string => row.replace(/(?:\s*\|)+$/, "")

/** Quotations and links that stand so deep in a list that they read like code. */
const isMarkdown = (code: string): boolean => /^> /m.test(code) || code.includes("](")

const withoutMarker = (line: string): string => line.replace(/^(?:[-:]|\d{1,9}[.)])\s+/, "")
