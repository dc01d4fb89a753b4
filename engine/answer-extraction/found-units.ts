import { setImmediate } from "node:timers/promises"
import { leaveOut } from "#base/flow/degraded.ts"
import { offLoop } from "#base/process/threads/off-loop.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Hit } from "../engine.ts"
import { analyse, analyseQuery } from "../text/analysis/analyse.ts"
import type { StatedIn } from "./statements/page-parts.ts"
import { type Unit, unitsOf } from "./units/answer-units.ts"

/** The parts of a hit that answers are made from. */
export type Source = StatedIn & Pick<Hit, "score"> & Partial<Pick<Hit, "match" | "url" | "publishedAt">>

/** The probability that a page answers the question, judged by the words it contains. The words it lacks are judged here, unit by unit. */
export const chanceOf = ({ score, match = score }: Pick<Source, "score" | "match">): number => match

/** A unit with the terms that match the question. */
export interface FoundUnit {
  readonly unit: Unit
  /** The question's terms, analysed in the page's language. */
  readonly asked: readonly string[]
  /** The terms of the unit and its lead. */
  readonly own: ReadonlySet<string>
  /** The question's terms in the unit's nearest heading, and in the headings above that one. */
  readonly near: ReadonlySet<string>
  readonly far: ReadonlySet<string>
}

/** A found unit with the share of the question's terms that it contains, weighted by rarity, 0..1. */
export interface WeighedUnit extends FoundUnit {
  readonly words: number
}

/** Maximum number of units weighed per page; the ones with the most of the question's terms are chosen. */
const WEIGHED_PER_PAGE = 120
/** The weight of a term that occurs only in a heading above the unit. */
const ABOVE = { near: 0.8, far: 0.5 }

/** The units of all pages, in order. */
export async function unitsFound(
  question: string,
  hits: readonly Source[],
  signal: AbortSignal | undefined,
): Promise<WeighedUnit[]> {
  const found: FoundUnit[] = []
  for (const [source, { title, markdown, passages, language }] of hits.entries()) {
    const page = { title, markdown, passages, language }
    const read = weighable({ chars: markdown.length, signal }, question, page, source).catch(
      (error: unknown) => {
        // If the page doesn't arrive in time or can't be read, its best passages are used instead: they are short.
        if (!(error instanceof WorkError) && !signal?.aborted) throw error
        leaveOut("pages")
        return unitsIn(question, { ...page, markdown: "" }, source)
      },
    )
    for (const one of await read) found.push(one)
    // A long page takes several milliseconds, so other requests get a turn in between.
    await setImmediate()
  }
  return weighed(found)
}

/** The units of a page that might answer the question, as values that can be sent between threads. */
export function unitsIn(question: string, page: StatedIn, source: number): FoundUnit[] {
  const asked = analyseQuery(question, page.language).terms
  const wanted = new Set(asked)
  const termsOf = (text: string) => new Set(analyse(text, page.language))
  const known = new Map<string, ReadonlySet<string>>()
  const wantedOf = (text: string) => {
    if (!known.has(text)) known.set(text, termsOf(text).intersection(wanted))
    return known.get(text)!
  }
  const repeats = repeating(question)
  const found = unitsOf(page, source).flatMap((unit): FoundUnit[] => {
    if (repeats(unit.text)) return []
    const { headings, lead, text } = unit
    return [
      {
        unit,
        asked,
        own: termsOf(`${lead ?? ""}\n${text}`),
        near: wantedOf(headings.at(-1) ?? ""),
        far: wantedOf(headings.slice(0, -1).join("\n")),
      },
    ]
  })
  if (found.length <= WEIGHED_PER_PAGE) return found
  const held = (one: FoundUnit) => [...wanted].filter((term) => holdOf(one, term) > 0).length
  return found
    .map((one) => ({ one, held: held(one) }))
    .sort((a, b) => a.one.unit.rank - b.one.unit.rank || b.held - a.held)
    .slice(0, WEIGHED_PER_PAGE)
    .map(({ one }) => one)
}

const weighable = offLoop(import.meta.url, unitsIn)

/** How well a unit's text or headings match a term, 0..1. */
export function holdOf({ own, near, far }: Pick<FoundUnit, "own" | "near" | "far">, term: string): number {
  if (own.has(term)) return 1
  return near.has(term) ? ABOVE.near : far.has(term) ? ABOVE.far : 0
}

/** The weights of terms: the rarer a term is among the units, the higher; highest for a term that no unit contains. */
function weighed(found: readonly FoundUnit[]): WeighedUnit[] {
  const having = new Map<string, number>()
  for (const { asked } of found) for (const term of asked) having.set(term, 0)
  for (const one of found)
    for (const [term, many] of having) if (holdOf(one, term) > 0) having.set(term, many + 1)
  const weightOf = (term: string) => Math.log(1 + (found.length + 1) / (having.get(term)! + 1))
  return found.map((one) => {
    const whole = one.asked.reduce((sum, term) => sum + weightOf(term), 0)
    const held = one.asked.reduce((sum, term) => sum + weightOf(term) * holdOf(one, term), 0)
    return { ...one, words: whole === 0 ? 0 : held / whole }
  })
}

/** Minimum length of a repeated question: shorter ones could be names that answers mention. */
const LEAST_ASKED_WORDS = 4

/** Whether a text repeats the whole question, as examples and lists of questions do without answering it. */
function repeating(question: string): (text: string) => boolean {
  const words = wordsOf(question)
  const asked = ` ${words.join(" ")} `
  // A text shorter than the words can't contain them.
  const holds = (text: string) =>
    text.length >= asked.length - 2 && ` ${wordsOf(text).join(" ")} `.includes(asked)
  return words.length < LEAST_ASKED_WORDS ? () => false : holds
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
