import { holdsModelOrder } from "../../text/model-orders.ts"
import { isStopWord } from "../../text/analysis/stop-words.ts"
import type { Block } from "../../text/markdown/markdown-blocks.ts"
import { isStruck, lineKey, type PageMarks, marksOf } from "./page-marks.ts"
import { isItem, type Part, partsOf, passageRanks, type StatedIn, withoutMarker } from "./page-parts.ts"
import { isDangling } from "./dangling.ts"
import { isUnspaced, spacedWords, splitSentences } from "./sentences.ts"
import { rowsOf } from "./table-rows.ts"

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
  /** What it is said under, where a term has lines of its own. */
  readonly term: string | null
  /** The headings above it, outermost first; the page title is the first. */
  readonly headings: readonly string[]
  /** What it says nothing without: the term it defines, the names of its columns, what announces its list. Verbatim. */
  readonly leads: readonly string[]
  /** The statement right before it in its paragraph. */
  readonly before: Statement | null
  /** It makes no sense without the one before: it begins with "It", "However" and the like. */
  readonly dangling: boolean
  /** It begins what stands under a heading or a term: that is then what it speaks of. */
  readonly opens: boolean
  /** It can be said without its leads, and brings no list along. */
  readonly standsAlone: boolean
  /** It, or something before it in its block, gives orders to language models: nobody is to be told it. */
  readonly addressesModels: boolean
}

/** Longer pages are not kept at hand. */
export const MAX_PAGE_CHARS = 200_000
/** A sentence takes the code or the list that it announces along, as much as fits in so many characters. */
const MAX_ANNOUNCED_CHARS = 600
const MAX_STATEMENT_CHARS = 600
const MAX_CODE_LINES = 3

/** What a page states, in its order. Headings are no statements, nor are questions, scraps of text, or what the page has struck out. */
export function statementsOf(hit: StatedIn, source: number): Statement[] {
  const marks = marksOf(hit.markdown)
  const rankOf = passageRanks(hit)
  const statements: Statement[] = []
  for (const part of partsOf(hit, marks)) {
    const place = { source, rank: rankOf(part.block), marks, language: hit.language }
    for (const made of fromPart(part, place)) {
      // The one before is the same object, so that both can be told to be neighbours.
      statements.push(Object.assign(made, { position: statements.length }))
    }
  }
  return statements
}

interface Place extends Pick<Statement, "source" | "rank"> {
  readonly marks: PageMarks
  readonly language: string | null
}

function fromPart(part: Part, { marks, language, ...place }: Place): Statement[] {
  const { block, headings, term, announcement, announces, isFirst } = part
  // What announces an order is as little said to readers as what follows one.
  const orders = holdsModelOrder([block, ...announces].map(({ text }) => text).join("\n"))
  const leads = [term, announcement].filter((lead) => lead !== null)
  const base = {
    ...place,
    term,
    headings,
    leads,
    position: 0,
    before: null,
    dangling: false,
    opens: false,
    standsAlone: true,
    addressesModels: orders,
  }
  const lines = block.text.split("\n")
  if (block.kind === "code") {
    return lines.length <= MAX_CODE_LINES && !isMarkdown(block.text)
      ? [{ ...base, text: block.text, kind: "code" }]
      : []
  }
  const rows = rowsOf(block.text, part.raw)
  if (rows) {
    return rows.flatMap(({ text, columns }): Statement[] =>
      columns === "prose"
        ? splitSentences(text, language)
            .filter((sentence) => isWhole(sentence, "prose", language) && !isDangling(sentence))
            .map((sentence) => ({ ...base, text: sentence, kind: "prose" }))
        : [
            {
              ...base,
              leads: columns === null ? leads : [...leads, columns],
              text,
              kind: "row",
            },
          ],
    )
  }
  const kind = isItem(block.text) ? "item" : "prose"
  const lead = leads.join(" ")
  const statements: Statement[] = []
  let said = ""
  for (const [at, line] of lines.entries()) {
    let before: Statement | null = null
    const sentences = withAnswerWords(splitSentences(withoutMarker(lineKey(line)), language))
    for (const [place, sentence] of sentences.entries()) {
      const isLast = at === lines.length - 1 && place === sentences.length - 1
      const announced = isLast ? announcedText(announces) : null
      const text = announced === null ? sentence : `${sentence}\n${announced}`
      const fits = isWhole(text, kind, language, lead) && !isStruck(marks, sentence)
      if (orders) said += `${text} `
      const statement: Statement = {
        ...base,
        text,
        kind,
        before,
        dangling: isDangling(sentence),
        standsAlone: isWhole(text, kind, language) && (announced === null || announces[0]!.kind === "code"),
        opens: place === 0 && at === 0 && (isFirst || leads.length > 0),
        addressesModels: orders && holdsModelOrder(said),
      }
      if (fits) statements.push(statement)
      before = fits ? statement : null
    }
  }
  return statements
}

/** "Yes." and "No." by themselves: they are said with the sentence behind them. */
const ANSWER_WORD = /^(?:yes|no|yes and no|unfortunately,? (?:yes|no|not))[.!]$/i

function withAnswerWords(sentences: readonly string[]): string[] {
  const joined: string[] = []
  for (const sentence of sentences) {
    if (ANSWER_WORD.test(joined.at(-1) ?? "")) joined.push(`${joined.pop()!} ${sentence}`)
    else joined.push(sentence)
  }
  return joined
}

/** Code as it stands, or the items of a list, whole, from its first on; null when nothing fits. */
function announcedText(announced: readonly Block[]): string | null {
  const texts: string[] = []
  let chars = 0
  for (const { text } of announced) {
    chars += text.length
    if (chars > MAX_ANNOUNCED_CHARS || isMarkdown(text)) break
    texts.push(text)
  }
  return texts.length === 0 ? null : texts.join("\n")
}

/**
 * Whether a text can be said by itself: no question, no rest or beginning of a sentence, no label.
 *
 * @param lead what is said before it
 */
function isWhole(text: string, kind: Statement["kind"], language: string | null, lead = ""): boolean {
  const most = MAX_STATEMENT_CHARS + (text.includes("\n") ? MAX_ANNOUNCED_CHARS : 0)
  if (text.length > most || /^\(?see\b/i.test(text) || /[?？:：]["'”’)]*$/.test(text)) return false
  const [first = ""] = /^\p{Ll}[\p{L}'’]*/u.exec(text) ?? []
  if (first !== "" && lead === "" && isStopWord(first, language)) return false
  const unspaced = isUnspaced(text)
  const words = spacedWords(`${lead} ${text}`)
  if (words < 3 && !unspaced) return false
  const ended = text.includes("\n") || /[.!。！…]["'”’)\]]*$/.test(text)
  return ended || unspaced || lead !== "" || (kind === "item" && words >= 4)
}

/** Quotations and links that stand so deep in a list that they read like code. */
const isMarkdown = (code: string): boolean => /^> /m.test(code) || code.includes("](")
