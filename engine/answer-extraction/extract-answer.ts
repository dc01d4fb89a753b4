import { analyse } from "../text/analysis/analyse.ts"
import type { Embedder } from "../embedder.ts"
import { holdsModelOrder } from "../text/model-orders.ts"
import { type DatedUnit, newestFirst } from "./disagreement.ts"
import { holdOf, type Source, unitsFound, type WeighedUnit } from "./found-units.ts"
import { judged, promising, type UnitReader } from "./judge.ts"
import { leadsOf } from "./printed.ts"
import { type QuestionType, questionType } from "./question-type.ts"
import { recencyAsked } from "./recency.ts"
import { type Comparison, comparisonIn, partsIn } from "./sides.ts"
import type { Unit } from "./units/answer-units.ts"
import { type Rarity, repeats, valued, type ValuedUnit } from "./values.ts"

/** A text from a page, and the hit that it is from. */
export interface CitedStatement {
  /** Verbatim except for white space; Markdown if it has several lines. */
  readonly text: string
  /** Position of the page among the hits, from 0. */
  readonly source: number
  /** Texts of the page that it makes no sense without, verbatim: its heading, the term it defines, the line that announces its list. */
  readonly leads?: readonly string[]
  /** When its page was published, if a newer page states another value. */
  readonly outdated?: Date
}

export interface ExtractOptions {
  /**
   * `short`: the unit that answers, and a second one if it answers nearly as well. `long`: up to three.
   * `evidence`: up to eight units near the question, for callers that choose among them.
   */
  readonly length: keyof typeof LENGTHS
  /** Judges meaning where there is no reader. Without it, words alone decide. */
  readonly embedder?: Pick<Embedder, "embed">
  /** Reads English questions together with units. */
  readonly reader?: UnitReader | null
  /** How rare the question's terms are. Without it all are alike. */
  readonly rarity?: Rarity
  /** When it aborts, the units judged so far decide. */
  readonly signal?: AbortSignal
}

export interface Extracted {
  /** The answer. */
  readonly units: readonly CitedStatement[]
  /** The sides of a comparison, or the questions of several, for which nothing was found. */
  readonly missing: readonly string[]
  /** Units near the question, best first, for whoever writes an answer from them: up to eight, sides in turn. There may be some where no unit answers. */
  readonly evidence: readonly Unit[]
}

/** How many units; the least value of each; and how far below the first it may be. Values are logits. */
const LENGTHS = {
  short: { units: 2, least: 0, margin: 0.5 },
  long: { units: 3, least: 0, margin: 1.5 },
  evidence: { units: 8, least: -3, margin: Infinity },
}
/** Most units judged: each takes some 20 ms of processor time. */
const MOST_JUDGED = 24
const MOST_JUDGED_A_SIDE = 10
/** The least value, a logit, of one side of a comparison. */
const LEAST_OF_SIDE = -2
/** Added to the value for a side if the unit begins with its name; added twice if the unit is under that name. */
const ABOUT = 1.5
/** A side's name is looked for in the first characters of a text. */
const NAME_CHARS = 50
/** Questions about what to do; those of no known type may be, too. */
const TO_DO = new Set(["method", "open"])
const NOTHING: Extracted = { units: [], missing: [], evidence: [] }

/**
 * The units of the hits' pages that answer a question, best first; for a comparison, side by side. Empty when nothing answers it. Every text
 * is in its page word for word.
 */
export async function extractAnswer(
  question: string,
  hits: readonly Source[],
  options: ExtractOptions,
): Promise<readonly CitedStatement[]> {
  return (await extractSides(question, hits, options)).units
}

/** Like {@link extractAnswer}, with the sides and questions that are missing, and other units near the question. All of it is judged once. */
export async function extractSides(
  question: string,
  hits: readonly Source[],
  options: ExtractOptions,
): Promise<Extracted> {
  const { length, embedder, reader = null, rarity = new Map(), signal } = options
  const parts = length === "evidence" ? [] : partsIn(question)
  if (parts.length > 0) return await extractParts(parts, hits, options)
  const type = questionType(question)
  // A section's steps only help with questions about what to do.
  const found = (await unitsFound(question, hits, signal)).filter(
    ({ unit }) => unit.kind !== "steps" || TO_DO.has(type),
  )
  if (found.length === 0) return NOTHING
  const recency = recencyAsked(
    question,
    hits,
    found.map(({ unit }) => unit),
  )
  const value = async (text: string, units: readonly WeighedUnit[], most: number, side?: Side) => {
    const sayable = promising(units, hits, 2 * most, side?.about)
      .filter(({ unit }) => isSayable(unit))
      .slice(0, most)
    const judgement = await judged(text, sayable, { hits, embedder, reader, signal })
    return valued(judgement, { question: text, hits, rarity, recency, named: side?.foreign ?? new Set() })
  }
  const extracted = (
    chosen: readonly DatedUnit[],
    near: readonly ValuedUnit[],
    missing: readonly string[] = [],
  ) => ({
    units: chosen.map((one) => toCited(one, rarity)),
    missing,
    evidence: chosenOf(near, LENGTHS.evidence, type, chosen).map(({ unit }) => unit),
  })
  const comparison = length === "evidence" ? null : comparisonIn(question)
  if (comparison) {
    const chosen: ValuedUnit[] = []
    const missing: string[] = []
    const ofSides: ValuedUnit[][] = []
    for (const [at, side] of sidesOf(comparison, found, hits[0]!.language).entries()) {
      const all = (await value(side.text, side.units, MOST_JUDGED_A_SIDE, side))
        .map((one) => ({ ...one, value: one.value + ABOUT * side.about(one) }))
        .sort((a, b) => b.value - a.value)
        .filter(({ value }) => value >= LEAST_OF_SIDE)
      ofSides.push(all)
      if (all.length === 0) missing.push(comparison.sides[at]!)
      // A unit about several sides is given once, beside the next best one about this side.
      const best = all.find((one) => !chosen.some((other) => other.unit === one.unit))
      if (best) chosen.push(best)
    }
    return extracted(chosen, inTurn(ofSides), chosen.length === 0 ? [] : missing)
  }
  const all = await value(question, found, MOST_JUDGED)
  const dated =
    length === "evidence" || (all[0]?.value ?? 0) < LENGTHS[length].least ? null : newestFirst(all, hits)
  return extracted(dated ?? chosenOf(all, LENGTHS[length], type), all)
}

/** The units that are worth showing, each text once, behind those already chosen. */
function chosenOf(
  all: readonly ValuedUnit[],
  { units, least, margin }: (typeof LENGTHS)[keyof typeof LENGTHS],
  type: QuestionType,
  before: readonly ValuedUnit[] = [],
): ValuedUnit[] {
  const enough = Math.max(least, (all[0]?.value ?? 0) - margin)
  const chosen = [...before]
  for (const one of all) {
    if (chosen.length >= units) break
    if (one.value < enough) continue
    const same = chosen.findIndex((other) => repeats(one, other))
    if (same === -1) chosen.push(one)
    // For questions about what to do, the same text with its command is more useful.
    else if (TO_DO.has(type) && one.unit.kind === "code" && chosen[same]!.unit.kind === "prose")
      chosen[same] = one
  }
  return chosen
}

/** The best unit for each of several questions, or the question in quotes among those that are missing. */
async function extractParts(
  questions: readonly string[],
  hits: readonly Source[],
  options: ExtractOptions,
): Promise<Extracted> {
  const found = await Promise.all(questions.map((question) => extractSides(question, hits, options)))
  const units: CitedStatement[] = []
  const missing: string[] = []
  for (const [at, one] of found.entries()) {
    const [best] = one.units
    if (!best) missing.push(`“${questions[at]!}”`)
    else if (!units.some((other) => isSame(other, best))) units.push(best)
  }
  const near = inTurn(found.map(({ evidence }) => evidence))
  const evidence = near.filter((one, at) => near.findIndex((other) => isSame(one, other)) === at)
  return {
    units,
    missing: units.length === 0 ? [] : missing,
    evidence: evidence.slice(0, LENGTHS.evidence.units),
  }
}

type Placed = Pick<CitedStatement, "text" | "source">
const isSame = (one: Placed, other: Placed) => one.text === other.text && one.source === other.source

/** The first of each list, then the second of each, and so on. */
const inTurn = <One>(lists: readonly (readonly One[])[]): One[] =>
  lists
    .flatMap((list) => list.map((one, rank) => ({ one, rank })))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one)

/** Whether a unit gives no orders to models. */
const isSayable = ({ headings, lead, text }: Unit): boolean =>
  !holdsModelOrder([headings.at(-1) ?? "", lead ?? "", text].join("\n"))

function toCited(one: DatedUnit, rarity: Rarity): CitedStatement {
  const { text, source } = one.unit
  const leads = leadsOf(one, rarity)
  const { outdated } = one
  return { text, source, ...(leads.length > 0 && { leads }), ...(outdated && { outdated }) }
}

interface Side {
  readonly text: string
  readonly units: readonly WeighedUnit[]
  /** Terms that only the names of the other sides have. */
  readonly foreign: ReadonlySet<string>
  /** 2 if the unit is under the side's name and no other's, 1 if it begins with that name, else 0. */
  readonly about: (one: WeighedUnit) => number
}

/** Each side with its question and the units about it. */
function sidesOf(
  { sides, questions, asksWhatTheyAre }: Comparison,
  units: readonly WeighedUnit[],
  language: string | null,
): Side[] {
  const terms = sides.map((side) => new Set(analyse(side, language)))
  return sides.map((side, at) => {
    const own = terms[at]!
    const others = new Set(terms.flatMap((all, i) => (i === at ? [] : [...all])))
    // Terms that only this side has: RAID-6 and RAID-5 both have "raid".
    const alone = [...own].filter((term) => !others.has(term))
    const telling = alone.length > 0 ? alone : [...own]
    const foreign = new Set([...others].filter((term) => !own.has(term)))
    const names = (part: string | null | undefined) => {
      const held = new Set(analyse((part ?? "").slice(0, NAME_CHARS), language))
      return telling.every((term) => held.has(term)) && held.isDisjointFrom(foreign)
    }
    return {
      text: asksWhatTheyAre ? `what is ${side}` : questions[at]!,
      units: units.filter(
        (one) =>
          telling.every((term) => holdOf(one, term) > 0) &&
          // A synopsis shows how to write something, not what it is.
          !(asksWhatTheyAre && one.unit.text.startsWith("```")),
      ),
      foreign,
      about: ({ unit: { lead, headings, text } }) =>
        names(lead) || (headings.length > 1 && names(headings.at(-1))) ? 2 : names(text) ? 1 : 0,
    }
  })
}
