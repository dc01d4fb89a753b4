import { offLoop } from "#base/process/threads/off-loop.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Hit } from "#engine"
import type { StatedIn } from "#engine/answer-extraction/statements/page-parts.ts"
import { isEmptyHeading } from "#engine/answer-extraction/printed.ts"
import { lineKey } from "#engine/answer-extraction/statements/page-marks.ts"
import { type Statement, statementsOf } from "#engine/answer-extraction/statements/report-statements.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"

import type { Stated } from "./evidence.ts"

/** A statement of a page that was found, before it is a finding. */
export interface StatedText {
  /** Word by word as in the page; before it, word by word as well and a colon behind it, the term or the heading that it says nothing without. */
  readonly text: string
  /** Position of its page among the hits. */
  readonly source: number
  readonly stated: Stated
  /** Share of the question's terms that stand in it or above it. */
  readonly words: number
  /** Place of its passage among the page's best. */
  readonly rank: number
}

interface ReadOptions {
  /** The page's score beside the best one's. */
  readonly score: number
  /** So many of its best passages are read. */
  readonly passages: number
}

/** Pages that are read with all of their passages; of the others only the best are. */
const PAGES_READ_WELL = 4
const PASSAGES = { well: 8, else: 4 }

/** What leads readers elsewhere, or along, and states nothing by itself. */
const SIGNPOST =
  /^(?:(?:during|in|with|at|by|after|before|under) (?:his|her|their|its)\b|let(?:['’]s| us)\b|(?:for )?(?:more|further|additional) (?:information|details)|(?:please )?(?:see|refer to|consult)\b|please (?:report|note|check)\b|there (?:is|are) (?:a|an) (?:list|overview|more)\b|you can find (?:details|a list|more|further|this)\b|sections? \d|chapters? \d|now\b|don['’]t worry|(?:first|second|third|finally|lastly)(?:ly)?,|(?:if|when|once)\b[^,]{0,40}, (?:it|they|this|these)\b|there are (?:two|three|four|several|many|some) [\p{L} ]{3,40}\.$|(?:we|i)\b|the (?:first|second|third|next|last|final) (?:step|thing|part|section|chapter)\b|at the end of|to (?:do|accomplish|achieve|avoid) (?:this|that|so)\b)|\b(?:this (?:manual page|section|chapter|document|page|appendix|article)\b|will be (?:discussed|described|explained|covered)|(?:is|are) (?:described|discussed|explained|covered|presented) (?:in|below)|(?:please )?see (?:the|section|chapter|also)\b|in the next (?:section|chapter|pages?)|next few pages)/iu

/** What the best passages of one page state that can be said to others, as values that can be handed from thread to thread. */
export function statedTextsIn(
  question: string,
  page: StatedIn,
  source: number,
  { score, passages }: ReadOptions,
): StatedText[] {
  const asked = new Set(analyseQuery(question, page.language).terms)
  const texts: StatedText[] = []
  let section = ""
  // Those whose referent is the heading.
  const named = new Set<Statement>()
  // All of the page, so that a place means the same to every question.
  for (const statement of statementsOf(page, source)) {
    const { text, headings, leads, position, kind, rank, before } = statement
    const opens = headings.join("\n") !== section
    section = headings.join("\n")
    const isCut = !statement.standsAlone && (statement.term === null || text.includes("\n"))
    if (isCut || statement.addressesModels || kind === "code" || SIGNPOST.test(text)) continue
    if (rank >= passages) continue
    // "This module …", right below the heading that names it.
    const isNamed = opens && before === null && /^th(?:is|ese) \p{L}/iu.test(text)
    if (isNamed) named.add(statement)
    const dangling = statement.dangling && !isNamed
    // Without the one before it makes no sense, and that one without another neither.
    if (dangling && (before === null || (before.dangling && !named.has(before)) || before.addressesModels))
      continue
    const terms = new Set(analyse([...headings, ...leads, text].join("\n"), page.language))
    const said = dangling ? text : withLead(statement)
    const isUnderHeading = said !== text && statement.term === null
    texts.push({
      text: said,
      source,
      rank,
      words: asked.size === 0 ? 0 : asked.intersection(terms).size / asked.size,
      stated: {
        headings,
        position,
        kind,
        opens,
        score,
        needs: dangling ? withLead(before!) : null,
        ...(isUnderHeading && { bare: text }),
      },
    })
  }
  return texts
}

const ASKS = /[?？]$/
const MAX_LEAD_CHARS = 120
/** A lead that stands in so many characters of the text is not said twice. */
const SAID_CHARS = 60
/** What a footnote is called. */
const FOOTNOTE = /^\[?\d{1,2}\]?$/

/** A statement with its term; or with the heading, where that asks what it answers, or names what "this" is. */
function withLead({ term, kind, text, headings, opens }: Statement): string {
  const heading = lineKey(headings.slice(1).at(-1) ?? "").replace(/^\d+(?:\.\d+)*\.?\s+/, "")
  const isNamed =
    opens && !isEmptyHeading(heading) && (ASKS.test(heading) || /^(?:this|these|it|they) /i.test(text))
  const lead = kind === "row" ? null : (term ?? (isNamed ? heading : null))
  if (lead === null || lead === "" || lead.length > MAX_LEAD_CHARS || FOOTNOTE.test(lead)) return text
  if (text.slice(0, SAID_CHARS).toLowerCase().includes(lead.toLowerCase().replace(/[:?]$/, ""))) return text
  return `${/[:：?？!.]$/.test(lead) ? lead : `${lead}:`} ${text}`
}

const statedTexts = offLoop(import.meta.url, statedTextsIn)

/** What the best passages of the hits state, page by page. */
export async function statedBy(
  question: string,
  hits: readonly Hit[],
  signal: AbortSignal,
): Promise<StatedText[]> {
  const best = hits[0]?.score || 1
  const found: StatedText[] = []
  for (const [source, { title, markdown, passages, language, score }] of hits.entries()) {
    const page = { title, markdown, passages, language }
    try {
      const options = {
        score: Math.min(1, score / best),
        passages: source < PAGES_READ_WELL ? PASSAGES.well : PASSAGES.else,
      }
      found.push(...(await statedTexts({ chars: markdown.length, signal }, question, page, source, options)))
    } catch (error) {
      // A page that cannot be read states nothing.
      if (!(error instanceof WorkError)) throw error
    }
  }
  return found
}
