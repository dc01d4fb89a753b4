import { analyse } from "../text/analysis/analyse.ts"
import type { Embedder } from "../embedder.ts"
import { type Candidate, candidatesOf, type Source } from "./candidates.ts"
import { choose, neededBy, type Room } from "./choose.ts"
import { leadsOf } from "./printed.ts"
import { recencyAsked } from "./recency.ts"
import { isAnswered, type Rarity } from "./refusal.ts"
import { type Comparison, comparisonIn } from "./sides.ts"
import type { Statement } from "./statements/statements.ts"
import { type Asked, promising, type Valued, valuedByWords, withMeaning } from "./values.ts"

/** Something a page states, and the hit it stands in. */
export type CitedStatement = Pick<Statement, "text" | "source"> & {
  /** What it says nothing without, each word by word in the page: its heading, the term it defines, the names of its columns. */
  readonly leads?: readonly string[]
}

export type ExtractedStatement = CitedStatement & Pick<Statement, "kind">

export interface ExtractOptions {
  /**
   * `short` is the one to three statements that answer, `long` up to six, of several pages where they have something to add.
   * `evidence` is whatever is near the question, up to eight: for those who choose among it themselves.
   */
  readonly length: keyof typeof LENGTHS
  /** Judges meaning beside words. Without it words alone decide. */
  readonly embedder?: Pick<Embedder, "embed">
  /** How rare the question's terms are. Without it all are alike. */
  readonly rarity?: Rarity
  /** When it aborts, words alone decide. */
  readonly signal?: AbortSignal
}

/** An answer, and of what a comparison names, that of which nothing was found. */
export interface Extracted {
  readonly statements: readonly ExtractedStatement[]
  readonly missing: readonly string[]
}

const LENGTHS = {
  short: { statements: 3, perSource: 3, chars: 700, share: 0.93, shareElsewhere: 0.97 },
  long: { statements: 6, perSource: 4, chars: 1600, share: 0.88, shareElsewhere: 0.94 },
  evidence: { statements: 8, perSource: 4, chars: 2000, share: 0.6, shareElsewhere: 0.6 },
} satisfies Record<string, Room>
/** For each side of a comparison. */
const A_SIDE = {
  short: { ...LENGTHS.short, statements: 1 },
  long: { ...LENGTHS.long, statements: 2, share: 0.93 },
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
  { length, embedder, rarity = new Map(), signal }: ExtractOptions,
): Promise<Extracted> {
  const candidates = await candidatesOf(question, hits, signal)
  if (candidates.length === 0) return { statements: [], missing: [] }
  const comparison = length === "evidence" ? null : comparisonIn(question)
  const recency = recencyAsked(
    question,
    hits,
    candidates.map(({ statement }) => statement),
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
    const near = best.meaning === null ? 0.35 * best.words >= words : 0.35 * best.words + 0.5 * best.meaning >= meaning
    return { statements: near ? inReadingOrder(choose(all!, LENGTHS.evidence)) : [], missing: [] }
  }
  if (!isAnswered(best, all!, hits, rarity)) return { statements: [], missing: [] }
  if (comparison) {
    const chosen: Valued[] = []
    const missing: string[] = []
    for (const [i, candidatesOfSide] of each.entries()) {
      // What was said for another side may be said of this one, too.
      const [first] = candidatesOfSide
      if (first === undefined) missing.push(comparison.sides[i]!)
      else if (!chosen.some(({ statement }) => statement === first.statement))
        chosen.push(...choose(candidatesOfSide, A_SIDE[length], chosen))
    }
    if (missing.length < comparison.sides.length)
      return { statements: inReadingOrder(chosen), missing }
  }
  return { statements: inReadingOrder(choose(all!, LENGTHS[length])), missing: [] }
}

interface Side extends Asked {
  readonly candidates: readonly Candidate[]
}

/** For each side its question, and the candidates that speak of it. */
function sidesOf(
  { sides, questions }: Comparison,
  candidates: readonly Candidate[],
  language: string | null,
): Side[] {
  const terms = sides.map((side) => new Set(analyse(side, language)))
  return sides.map((_, at) => {
    // What tells it from the others: "RAID-6" from "RAID-5", both of which have "raid".
    const others = terms.filter((__, other) => other !== at)
    const own = [...terms[at]!].filter((term) => !others.some((other) => other.has(term)))
    const telling = own.length > 0 ? own : [...terms[at]!]
    const text = questions[at]!
    const unlike = new Set(others.flatMap((other) => [...other]).filter((term) => !terms[at]!.has(term)))
    return {
      text,
      terms: new Set(candidates[0]!.asked.filter((term) => !unlike.has(term))),
      candidates: candidates.filter(({ own: said, close, far }) =>
        telling.every((term) => [said, ...close, ...far].some((all) => all.has(term))),
      ),
    }
  })
}

/** Page by page, the best page first, each in its own order, with the statements that they need. */
function inReadingOrder(chosen: readonly Valued[]): ExtractedStatement[] {
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
        const leads = leadsOf(one)
        const all = [...needed, one.statement].filter(({ position }) => !said.has(position))
        for (const { position } of all) said.add(position)
        // What several statements in a row have above them is said once.
        const fresh = leads.filter((lead) => !last.includes(lead))
        last = leads
        return all.map(
          ({ text, kind }, at): ExtractedStatement => ({
            text,
            source,
            kind,
            ...(at === 0 && fresh.length > 0 && { leads: fresh }),
          }),
        )
      })
  })
}
