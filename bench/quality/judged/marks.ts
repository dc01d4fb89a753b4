import type { Fact } from "../../questions/judged/judged-question.ts"
import { mean } from "../metrics.ts"
import { says } from "./facts.ts"
import type { Judgements } from "./judgements.ts"

/** An answer or a report: pieces of text, each with the addresses of the pages cited for it. */
export interface Said {
  readonly question: string
  readonly pieces: readonly { readonly text: string; readonly urls: readonly string[] }[]
  /** Pieces that do not appear word for word on the first page they cite. */
  readonly invented: readonly string[]
}

/** The measurements of one answer or report. */
export interface Marks {
  /** Whether nothing is cited, in which case the answer says that nothing was found. */
  readonly refused: boolean
  /** Number of wanted facts that the answer or report contains. */
  readonly held: number
  readonly wanted: number
  /** Number of facts that name pages and for which one of those pages is cited. */
  readonly pagesCited: number
  readonly pagesWanted: number
  readonly sentences: number
  readonly words: number
  readonly onQuestion: number
  readonly unjudged: number
  readonly invented: number
}

/** @param urlOf returns the address of a page by its path */
export function marksOf(
  { question, pieces, invented }: Said,
  facts: readonly Fact[],
  judgements: Judgements,
  urlOf: (path: string) => string,
): Marks {
  const cited = pieces.filter(({ urls }) => urls.length > 0)
  const urls = new Set(cited.flatMap((piece) => piece.urls))
  const text = cited.map((piece) => piece.text).join(" ")
  const placed = facts.filter(({ on }) => on.length > 0)
  const judged = cited.map((piece) => judgements.of(question, piece.text))
  return {
    refused: cited.length === 0,
    held: facts.filter((fact) => fact.says.length > 0 && says(text, fact)).length,
    wanted: facts.filter((fact) => fact.says.length > 0).length,
    pagesCited: placed.filter(({ on }) => on.some((path) => urls.has(urlOf(path)))).length,
    pagesWanted: placed.length,
    sentences: cited.length,
    words: text.match(/\S+/g)?.length ?? 0,
    onQuestion: judged.filter((on) => on === true).length,
    unjudged: judged.filter((on) => on === null).length,
    invented: invented.length,
  }
}

/** The columns of {@link rowOf}. */
export const HEAD = [
  "questions",
  "facts held",
  "each fact",
  "right pages",
  "each page",
  "refused",
  "sentences",
  "words",
  "on the question",
  "unjudged",
  "not verbatim",
] as const

/**
 * A row of the table. Sentences and words are means over the answers that were not refusals; `on the question` counts
 * only judged sentences, with the number of unjudged ones beside it.
 */
export function rowOf(marks: readonly Marks[]): (string | number)[] {
  const said = marks.filter(({ refused }) => !refused)
  const sum = (of: (one: Marks) => number) => marks.reduce((all, one) => all + of(one), 0)
  const share = (part: number, whole: number) => (whole === 0 ? "" : `${part} of ${whole}`)
  const asked = marks.filter(({ wanted }) => wanted > 0)
  const placed = marks.filter(({ pagesWanted }) => pagesWanted > 0)
  const judged = sum(({ sentences, unjudged }) => sentences - unjudged)
  return [
    marks.length,
    share(asked.filter(({ held, wanted }) => held === wanted).length, asked.length),
    share(
      sum(({ held }) => held),
      sum(({ wanted }) => wanted),
    ),
    share(placed.filter(({ pagesCited, pagesWanted }) => pagesCited === pagesWanted).length, placed.length),
    share(
      sum(({ pagesCited }) => pagesCited),
      sum(({ pagesWanted }) => pagesWanted),
    ),
    marks.length - said.length,
    said.length === 0 ? "" : mean(said.map(({ sentences }) => sentences)).toFixed(1),
    said.length === 0 ? "" : mean(said.map(({ words }) => words)).toFixed(0),
    share(
      sum(({ onQuestion }) => onQuestion),
      judged,
    ),
    sum(({ unjudged }) => unjudged),
    sum(({ invented }) => invented),
  ]
}
