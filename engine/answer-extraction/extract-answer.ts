import { analyse } from "../text/analysis/analyse.ts"
import type { Embedder } from "../embedder.ts"
import { type Candidate, candidatesOf, isHeld, type Source } from "./candidates.ts"
import { choose, neededBy, type Room, withElaborations } from "./choose.ts"
import { leadsOf } from "./printed.ts"
import { questionType } from "./question-type.ts"
import { recencyAsked } from "./recency.ts"
import { isAnswered, type Rarity } from "./refusal.ts"
import { type Comparison, comparisonIn } from "./sides.ts"
import { reranked, type StatementReranker } from "./statement-reranking.ts"
import type { Statement } from "./statements/statements.ts"
import {
  aboutSubject,
  type Asked,
  type Subject,
  promising,
  type Valued,
  valuedByWords,
  withMeaning,
} from "./values.ts"

/** Something a page states, and the hit it stands in. */
export type CitedStatement = Pick<Statement, "text" | "source"> & {
  /** What it says nothing without, each word by word in the page: its heading, the term it defines, the names of its columns. */
  readonly leads?: readonly string[]
}

export type ExtractedStatement = CitedStatement & Pick<Statement, "kind">

export interface ExtractOptions {
  /**
   * `short` is the one to three statements that answer, `long` as many with a wider margin, of several pages where they have something to add; each with
   * the sentence that goes on with it.
   * `evidence` is whatever is near the question, up to eight: for those who choose among it themselves.
   */
  readonly length: keyof typeof LENGTHS
  /** Judges meaning beside words. Without it words alone decide. */
  readonly embedder?: Pick<Embedder, "embed">
  /** Reads the best statements once more. Without it, and for evidence and comparisons, they stay in the order of their values. */
  readonly reranker?: StatementReranker | null
  /** How rare the question's terms are. Without it all are alike. */
  readonly rarity?: Rarity
  /** When it aborts, what is known by then decides: the words alone, or the meaning too. */
  readonly signal?: AbortSignal
}

/** An answer, and of what a comparison names, that of which nothing was found. */
export interface Extracted {
  readonly statements: readonly ExtractedStatement[]
  readonly missing: readonly string[]
}

const shareOf = (share: number) => (best: number) => share * best
const within = (margin: number) => (best: number) => best - margin
const LENGTHS = {
  short: { statements: 3, perSource: 3, chars: 700, least: shareOf(0.95), leastElsewhere: shareOf(0.98) },
  long: { statements: 3, perSource: 3, chars: 1400, least: shareOf(0.93), leastElsewhere: shareOf(0.95) },
  evidence: { statements: 8, perSource: 4, chars: 2000, least: shareOf(0.6), leastElsewhere: shareOf(0.6) },
} satisfies Record<string, Room>
/** A logit has no zero of its own, nor has what it is added to. */
const RERANKED_LENGTHS = {
  short: { ...LENGTHS.short, least: within(0.35), leastElsewhere: within(0.2) },
  long: { ...LENGTHS.long, least: within(0.6), leastElsewhere: within(0.45) },
} satisfies Record<string, Room>
/** For each side of a comparison. */
const A_SIDE = {
  short: { ...LENGTHS.short, statements: 1 },
  long: { ...LENGTHS.long, statements: 2, least: shareOf(0.95) },
}
const EMBEDDED_A_SIDE = { byWords: 10, byPlace: 4 }
/** What is near enough to a question to be worth a look. */
const LEAST_EVIDENCE = { meaning: 0.42, words: 0.2 }

/**
 * The statements of the hits' pages that answer a question, in the order in which they read best: page by page, each in
 * its own order; of a comparison side by side. Empty when nothing there answers it. Every text stands word by word in its page.
 */
export async function extractAnswer(
  question: string,
  hits: readonly Source[],
  options: ExtractOptions,
): Promise<ExtractedStatement[]> {
  return [...(await extractSides(question, hits, options)).statements]
}

/** As {@link extractAnswer}, and what is missing. */
export async function extractSides(
  question: string,
  hits: readonly Source[],
  { length, embedder, reranker = null, rarity = new Map(), signal }: ExtractOptions,
): Promise<Extracted> {
  const candidates = await candidatesOf(question, hits, signal)
  if (candidates.length === 0) return { statements: [], missing: [] }
  const comparison = length === "evidence" ? null : comparisonIn(question)
  const recency = recencyAsked(
    question,
    hits,
    candidates.map(({ statement }) => statement),
  )
  const completed = (chosen: readonly Valued[]) =>
    inReadingOrder(
      withElaborations(chosen, candidates, {
        chars: LENGTHS[length].chars,
        type: questionType(question),
        compares: comparison !== null,
      }),
      rarity,
    )
  const whole = valuedByWords(candidates, { text: question, terms: null }, hits, recency)
  const sides = comparison ? sidesOf(comparison, candidates, hits[0]!.language) : []
  const asked = [
    { text: question, candidates: promising(whole) },
    ...sides.map((side) => ({
      text: side.text,
      candidates: promising(valuedByWords(side.candidates, side, hits, recency), EMBEDDED_A_SIDE),
    })),
  ]
  const meant = embedder ? await withMeaning(asked, embedder, signal) : null
  const [all, ...each] = meant ?? asked.map((one) => one.candidates)
  const [best] = all!
  if (!best) return { statements: [], missing: [] }
  if (length === "evidence") {
    const { meaning, words } = LEAST_EVIDENCE
    const near =
      best.meaning === null ? 0.35 * best.words >= words : 0.35 * best.words + 0.5 * best.meaning >= meaning
    return { statements: near ? inReadingOrder(choose(all!, LENGTHS.evidence), rarity) : [], missing: [] }
  }
  // No statement has the names of all sides.
  const named = new Set(
    sides.flatMap(({ subject, candidates: found }) => (found.length > 0 ? subject.terms : [])),
  )
  if (!isAnswered(best, all!, { question, hits, rarity, named })) return { statements: [], missing: [] }
  if (comparison) {
    // What sets the one against the other in a sentence comes first.
    const contrasts = all!.filter(
      (one) =>
        one.value >= CONTRAST_SHARE * best.value &&
        sides.every(({ subject }) => subject.terms.every((term) => one.own.has(term))),
    )
    const chosen = choose(contrasts, { ...LENGTHS[length], statements: 1 })
    const missing: string[] = []
    for (const [i, candidatesOfSide] of each.entries()) {
      const [first] = candidatesOfSide
      if (first === undefined) missing.push(comparison.sides[i]!)
      else if (!isServed(candidatesOfSide, chosen, sides[i]!.subject))
        chosen.push(...choose(candidatesOfSide, sides.length > 2 ? A_SIDE.short : A_SIDE[length], chosen))
    }
    if (missing.length < comparison.sides.length) return { statements: completed(chosen), missing }
  }
  const again =
    reranker && meant ? await reranked(question, all!, { all: candidates, hits, reranker, signal }) : null
  const chosen = again ? choose(again, RERANKED_LENGTHS[length]) : choose(all!, LENGTHS[length])
  return { statements: completed(chosen), missing: [] }
}

/** Of the best value, what a sentence about all sides has to have. */
const CONTRAST_SHARE = 0.97
/** What is said of another side may be about this one, too, and nearly as good as its best. */
const SERVED_SHARE = 0.95

function isServed(candidates: readonly Valued[], chosen: readonly Valued[], subject: Subject): boolean {
  return candidates.some(
    (one) =>
      one.value >= SERVED_SHARE * candidates[0]!.value &&
      chosen.some(({ statement }) => statement === one.statement) &&
      aboutSubject(one, subject) > 0,
  )
}

interface Side extends Asked {
  readonly subject: Subject
  readonly candidates: readonly Candidate[]
}

/** For each side its question, and the candidates that speak of it. */
function sidesOf(
  { sides, questions, asksWhatTheyAre }: Comparison,
  candidates: readonly Candidate[],
  language: string | null,
): Side[] {
  const terms = sides.map((side) => new Set(analyse(side, language)))
  const telling = terms.map((own, at) => {
    // What tells it from the others: of RAID-6 and RAID-5, both of which have "raid".
    const alone = [...own].filter((term) => !terms.some((other, i) => i !== at && other.has(term)))
    return alone.length > 0 ? alone : [...own]
  })
  const speaking = telling.map((subject) =>
    candidates.filter((one) => subject.every((term) => isHeld(one, term))),
  )
  const pages = speaking.map((those) => new Set(those.map(({ statement }) => statement.source)))
  // A page that speaks of all of them compares them; another may mean something else by a name.
  const common = pages.reduce((all, some) => all.intersection(some))
  return sides.map((_, at) => {
    const others = terms.flatMap((all, i) => (i === at ? [] : [...all]))
    const unlike = new Set(others.filter((term) => !terms[at]!.has(term)))
    return {
      text: questions[at]!,
      subject: {
        terms: telling[at]!,
        others: telling.flatMap((all, i) => (i === at ? [] : all.filter((term) => !terms[at]!.has(term)))),
      },
      asksWhatItIs: asksWhatTheyAre,
      terms: new Set(candidates[0]!.asked.filter((term) => !unlike.has(term))),
      candidates: speaking[at]!.filter(({ statement }) => common.size === 0 || common.has(statement.source)),
    }
  })
}

/** Page by page, the best page first, each in its own order, with the statements that they need. */
function inReadingOrder(chosen: readonly Valued[], rarity: Rarity): ExtractedStatement[] {
  const sources = [...new Set(chosen.map(({ statement }) => statement.source))]
  const said = new Set<number>()
  return sources.flatMap((source) => {
    said.clear()
    let last: readonly string[] = []
    return chosen
      .filter(({ statement }) => statement.source === source)
      .sort((a, b) => a.statement.position - b.statement.position)
      .flatMap((one) => {
        const needed = neededBy(one.statement) ?? []
        const leads = leadsOf(one, rarity)
        const all = [...needed, one.statement].filter(({ position }) => !said.has(position))
        for (const { position } of all) said.add(position)
        // What several statements in a row have above them is said once.
        const fresh = leads.filter((lead) => !last.includes(lead))
        last = leads
        return all.map(({ text, kind }, at): ExtractedStatement => ({
          text,
          source,
          kind,
          ...(at === 0 && fresh.length > 0 && { leads: fresh }),
        }))
      })
  })
}
