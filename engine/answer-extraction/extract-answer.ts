import { analyse } from "../text/analysis/analyse.ts"
import type { Embedder } from "../embedder.ts"
import { holdsModelOrder } from "../text/model-orders.ts"
import { holdOf, type Source, unitsFound, type WeighedUnit } from "./found-units.ts"
import { judged, promising, type UnitReader } from "./judge.ts"
import { leadsOf } from "./printed.ts"
import { questionType } from "./question-type.ts"
import { recencyAsked } from "./recency.ts"
import { type Comparison, comparisonIn } from "./sides.ts"
import type { Unit } from "./units/answer-units.ts"
import { type Rarity, repeats, valued, type ValuedUnit } from "./values.ts"

/** Something a page states, and the hit it stands in. */
export interface CitedStatement {
  /** Verbatim, but for white space; several lines are Markdown. */
  readonly text: string
  /** Position of the page among the hits, from 0. */
  readonly source: number
  /** What it says nothing without, each word by word in the page: its heading, the term it defines, what announces its list. */
  readonly leads?: readonly string[]
}

export interface ExtractOptions {
  /**
   * `short` is the unit that answers, and a second one where that answers too; `long` up to three, of several pages where they have something to add.
   * `evidence` is whatever is near the question, up to eight: for those who choose among it themselves.
   */
  readonly length: keyof typeof LENGTHS
  /** Judges meaning where the reader does not. Without it words alone decide. */
  readonly embedder?: Pick<Embedder, "embed">
  /** Reads English questions together with units. */
  readonly reader?: UnitReader | null
  /** How rare the question's terms are. Without it all are alike. */
  readonly rarity?: Rarity
  /** When it aborts, what is known by then decides. */
  readonly signal?: AbortSignal
}

/** An answer, and of what a comparison names, that of which nothing was found. */
export interface Extracted {
  readonly units: readonly CitedStatement[]
  readonly missing: readonly string[]
}

/** How many units, how sure each but the first has to be, and by how much it may be less sure than the first: as logits. */
const LENGTHS = {
  short: { units: 2, least: 0, margin: 0.5 },
  long: { units: 3, least: 0, margin: 1.5 },
  evidence: { units: 8, least: -3, margin: Infinity },
}
/** Units that are judged: each takes some 10 ms of processor time. */
const MOST_JUDGED = 24
const MOST_JUDGED_A_SIDE = 10
/** As a logit of its chance, what a unit has to have for an answer, and for one side of a comparison. */
const LEAST = { answer: 0, side: -2 }
/** What a unit that begins with a side's name, and twice that one which stands under it, is worth for that side. */
const ABOUT = 1.5
/** A name stands in so many characters. */
const NAME_CHARS = 50
/** Questions for what to do, among which are those without a verb that asks. */
const TO_DO = new Set(["method", "open"])
const NOTHING: Extracted = { units: [], missing: [] }

/**
 * The units of the hits' pages that answer a question, best first; of a comparison side by side. Empty when nothing there answers it. Every text
 * stands word by word in its page.
 */
export async function extractAnswer(
  question: string,
  hits: readonly Source[],
  options: ExtractOptions,
): Promise<readonly CitedStatement[]> {
  return (await extractSides(question, hits, options)).units
}

/** As {@link extractAnswer}, and what is missing. */
export async function extractSides(
  question: string,
  hits: readonly Source[],
  { length, embedder, reader = null, rarity = new Map(), signal }: ExtractOptions,
): Promise<Extracted> {
  const type = questionType(question)
  // Nobody who asks for something else wants a section's steps.
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
  const cited = (chosen: readonly ValuedUnit[]) => chosen.map((one) => toCited(one, rarity))
  const comparison = length === "evidence" ? null : comparisonIn(question)
  if (comparison) {
    const chosen: ValuedUnit[] = []
    const missing: string[] = []
    for (const [at, side] of sidesOf(comparison, found, hits[0]!.language).entries()) {
      const [best] = (await value(side.text, side.units, MOST_JUDGED_A_SIDE, side))
        .map((one) => ({ ...one, value: one.value + ABOUT * side.about(one) }))
        .sort((a, b) => b.value - a.value)
      if (!best || best.value < LEAST.side) missing.push(comparison.sides[at]!)
      else if (!chosen.some((one) => one.unit === best.unit)) chosen.push(best)
    }
    return chosen.length === 0 ? NOTHING : { units: cited(chosen), missing }
  }
  const all = await value(question, found, MOST_JUDGED)
  const [best] = all
  const { units, least, margin } = LENGTHS[length]
  if (!best || best.value < (length === "evidence" ? least : LEAST.answer)) return NOTHING
  const chosen: ValuedUnit[] = []
  for (const one of all) {
    if (chosen.length >= units || (one !== best && one.value < Math.max(least, best.value - margin))) break
    const same = chosen.findIndex((other) => repeats(one, other))
    if (same === -1) chosen.push(one)
    // What says the same with its command is of more use to whoever asks what to do.
    else if (TO_DO.has(type) && one.unit.kind === "code" && chosen[same]!.unit.kind === "prose")
      chosen[same] = one
  }
  return { units: cited(chosen), missing: [] }
}

/** It gives no orders to models. */
const isSayable = ({ headings, lead, text }: Unit): boolean =>
  !holdsModelOrder([headings.at(-1) ?? "", lead ?? "", text].join("\n"))

function toCited(one: ValuedUnit, rarity: Rarity): CitedStatement {
  const { text, source } = one.unit
  const leads = leadsOf(one, rarity)
  return { text, source, ...(leads.length > 0 && { leads }) }
}

interface Side {
  readonly text: string
  readonly units: readonly WeighedUnit[]
  /** Terms that name the other sides alone. */
  readonly foreign: ReadonlySet<string>
  /** 2 when a unit stands under the side's name and no other's, 1 when it begins with it, else 0. */
  readonly about: (one: WeighedUnit) => number
}

/** For each side its question, and the units that speak of it. */
function sidesOf(
  { sides, questions, asksWhatTheyAre }: Comparison,
  units: readonly WeighedUnit[],
  language: string | null,
): Side[] {
  const terms = sides.map((side) => new Set(analyse(side, language)))
  return sides.map((side, at) => {
    const own = terms[at]!
    const others = new Set(terms.flatMap((all, i) => (i === at ? [] : [...all])))
    // What tells it from the others: of RAID-6 and RAID-5, both of which have "raid".
    const alone = [...own].filter((term) => !others.has(term))
    const telling = alone.length > 0 ? alone : [...own]
    const foreign = new Set([...others].filter((term) => !own.has(term)))
    const names = (part: string | null | undefined) => {
      const held = new Set(analyse((part ?? "").slice(0, NAME_CHARS), language))
      return telling.every((term) => held.has(term)) && held.isDisjointFrom(foreign)
    }
    return {
      text: asksWhatTheyAre ? `what is ${side}` : questions[at]!,
      units: units.filter((one) => telling.every((term) => holdOf(one, term) > 0)),
      foreign,
      about: ({ unit: { lead, headings, text } }) =>
        names(lead) || (headings.length > 1 && names(headings.at(-1))) ? 2 : names(text) ? 1 : 0,
    }
  })
}
