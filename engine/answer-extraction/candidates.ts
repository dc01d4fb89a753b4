import { setImmediate } from "node:timers/promises"
import { analyse, analyseQuery } from "../text/analysis/analyse.ts"
import type { Hit } from "../engine.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { offLoop } from "#base/process/threads/off-loop.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { StatedIn } from "./statements/page-parts.ts"
import { type Statement, statementsOf } from "./statements/statements.ts"

/** A page that was found, as far as answers are made of it. */
export type Source = StatedIn & Pick<Hit, "score"> & Partial<Pick<Hit, "match" | "url" | "publishedAt">>

/** The chance that a page answers, by what it has: what it lacks is looked for here, in single statements. */
export const chanceOf = ({ score, match = score }: Pick<Source, "score" | "match">): number => match

/** A statement with the terms that it and what stands beside it have. */
export interface Candidate {
  readonly statement: Statement
  /** The question's terms, as the page's language has them. */
  readonly asked: readonly string[]
  /** Its own terms, and those of what is printed with it. */
  readonly own: ReadonlySet<string>
  /** Those that were asked for, as in `far`: of the nearest heading and of the statement before. */
  readonly close: readonly ReadonlySet<string>[]
  readonly far: readonly ReadonlySet<string>[]
}

/** Whether a term stands in a statement, or beside it. */
export const isHeld = ({ own, close, far }: Omit<Candidate, "statement" | "asked">, term: string): boolean =>
  own.has(term) || close.some((terms) => terms.has(term)) || far.some((terms) => terms.has(term))

/** Statements of one page that are weighed, those with most of the question's terms: few pages have half as many. */
const WEIGHED_PER_PAGE = 300

/** Every statement of interest of the pages, in their order. */
export async function candidatesOf(
  question: string,
  hits: readonly Source[],
  signal: AbortSignal | undefined,
): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const [source, { title, markdown, passages, language }] of hits.entries()) {
    const page = { title, markdown, passages, language }
    const read = weighable({ chars: markdown.length, signal }, question, page, source).catch(
      (error: unknown) => {
        // Late, or past reading, a page is read by its best passages: they are short.
        if (!(error instanceof WorkError) && !signal?.aborted) throw error
        leaveOut("pages")
        return statedIn(question, { ...page, markdown: "" }, source)
      },
    )
    for (const one of await read) found.push(one)
    // A page of many words takes some milliseconds; others have their turn in between.
    await setImmediate()
  }
  return found
}

/** What a page states that may answer the question, as values that can be handed from thread to thread. */
export function statedIn(question: string, page: StatedIn, source: number): Candidate[] {
  const asked = analyseQuery(question, page.language).terms
  const wanted = new Set(asked)
  const termsOf = remembering((text) => new Set(analyse(text, page.language)))
  const wantedOf = remembering((text) => termsOf(text).intersection(wanted))
  const repeats = repeating(question)
  const found: Candidate[] = []
  for (const statement of statementsOf(page, source, concerning(asked))) {
    if (repeats(statement.text)) continue
    const [close, ...far] = [...statement.headings].reverse()
    const { before } = statement
    found.push({
      // Not the whole paragraph before it, each sentence holding on to the last.
      statement: { ...statement, before: before && { ...before, before: withoutBefore(before.before) } },
      asked,
      own: termsOf(
        [...statement.leads.filter((lead) => lead !== statement.announcement), statement.text].join("\n"),
      ),
      close: [close ?? "", before?.text ?? "", statement.announcement ?? ""].map(wantedOf),
      far: far.map(wantedOf),
    })
  }
  if (found.length <= WEIGHED_PER_PAGE) return found
  const held = (one: Candidate) => [...wanted].filter((term) => isHeld(one, term)).length
  const ranked = found
    .map((one) => ({ one, held: held(one) }))
    .sort((a, b) => a.one.statement.rank - b.one.statement.rank || b.held - a.held)
  return ranked.slice(0, WEIGHED_PER_PAGE).map(({ one }) => one)
}

const withoutBefore = (statement: Statement | null): Statement | null =>
  statement && { ...statement, before: null }

const weighable = offLoop(import.meta.url, statedIn)

/** Fewer words may well be the name of what an answer speaks of. */
const LEAST_ASKED_WORDS = 4

/** Whether a text repeats the whole question: examples and lists of questions do, and answer nothing. */
function repeating(question: string): (text: string) => boolean {
  const words = wordsOf(question)
  const asked = ` ${words.join(" ")} `
  // Text of fewer characters than the words have cannot hold them.
  const holds = (text: string) =>
    text.length >= asked.length - 2 && ` ${wordsOf(text).join(" ")} `.includes(asked)
  return words.length < LEAST_ASKED_WORDS ? () => false : holds
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** A quick look for the question's terms: they are stems, so a word that holds one may well be meant. */
function concerning(terms: readonly string[]): (text: string) => boolean {
  const stems = terms.map((term) => (term.length > 4 && term.endsWith("i") ? term.slice(0, -1) : term))
  return (text) => {
    const lower = text.toLowerCase()
    return stems.some((stem) => lower.includes(stem))
  }
}

function remembering<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    let made = known.get(text)
    if (made === undefined) known.set(text, (made = make(text)))
    return made
  }
}
