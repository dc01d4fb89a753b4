import { AskedQuestion, type ComparedSide, type JudgingOptions, LEAST } from "./asked-question.ts"
import { askingIn } from "./asking-sentences.ts"
import { type DatedUnit, newestFirst } from "./disagreement.ts"
import type { Source } from "./found-units.ts"
import type { JudgedUnit } from "./judge.ts"
import { leadsOf } from "./printed.ts"
import { comparisonIn, partsIn } from "./sides.ts"
import type { Unit } from "./units/answer-units.ts"
import { repeats, type ValuedUnit } from "./values.ts"

/** A text from a page, and the hit for that page. */
export interface CitedStatement {
  /** Verbatim except for white space; Markdown if it has several lines. */
  readonly text: string
  /** Position of the page among the hits, from 0. */
  readonly source: number
  /** Texts from the page without which this one makes no sense, verbatim: its heading, the term it defines, the line that introduces its list. */
  readonly leads?: readonly string[]
  /** When its page was published, if a newer page states another value. */
  readonly outdated?: Date
}

export interface ExtractOptions extends JudgingOptions {
  /** `short`: the unit that answers the question, and a second one if it answers nearly as well. `long`: up to three. */
  readonly length: keyof typeof LENGTHS
}

export interface Extracted {
  /** The answer. */
  readonly units: readonly CitedStatement[]
  /** The sides of a comparison, or the questions in a text with several, for which nothing was found. */
  readonly missing: readonly string[]
  /**
   * Units close to the question, best first, from which other code can write an answer: up to eight, alternating
   * between sides. There can be some even if no unit answers the question.
   */
  readonly evidence: readonly Unit[]
}

/** A unit that answers a question, for callers that combine the units of several questions. */
export interface AnsweringUnit extends CitedStatement {
  readonly kind: Unit["kind"]
  /** The headings above the unit, outermost first; the page title comes first. */
  readonly headings: readonly string[]
  /** How likely the unit is to answer the question, as a logit. */
  readonly value: number
}

/** Number of units, the minimum value of each, and how far each may be below the first one. Values are logits. */
const LENGTHS = {
  short: { units: 2, least: LEAST.answer, margin: 0.5 },
  long: { units: 3, least: LEAST.answer, margin: 1.5 },
}
const EVIDENCE = { units: 8, least: -3, margin: Infinity }
/** Maximum number of units judged: each takes about 20 ms of processor time. */
const MOST_JUDGED = 24
const MOST_JUDGED_A_SIDE = 10

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

/** Like {@link extractAnswer}, but also returns the sides and questions for which nothing was found, and other units close to the question. Everything is judged only once. */
export async function extractSides(
  text: string,
  hits: readonly Source[],
  given: ExtractOptions,
): Promise<Extracted> {
  const { question, context } = askingIn(text)
  const options = { ...given, context: given.context ?? context }
  const parts = partsIn(question)
  if (parts.length > 0) return await extractParts(parts, hits, options)
  const asked = await AskedQuestion.over(hits, question, options)
  const extracted = (
    chosen: readonly DatedUnit[],
    near: readonly ValuedUnit[],
    missing: readonly string[] = [],
  ) => ({
    units: chosen.map((one) => toCited(one, options)),
    missing,
    evidence: chosenOf(asked, near, EVIDENCE, chosen).map(({ unit }) => unit),
  })
  const comparison = comparisonIn(question)
  if (comparison) {
    const { sides, questions, asksWhatTheyAre } = comparison
    const chosen: ValuedUnit[] = []
    const missing: string[] = []
    const ofSides: ValuedUnit[][] = []
    for (const [at, side] of sides.entries()) {
      const text = asksWhatTheyAre ? `what is ${side}` : questions[at]!
      const compared = { sides, at, asksWhatItIs: asksWhatTheyAre }
      const all = (await asked.unitsAbout(compared, text, MOST_JUDGED_A_SIDE)).filter(
        ({ value }) => value >= LEAST.side,
      )
      ofSides.push(all)
      if (all.length === 0) missing.push(side)
      // A unit about several sides is used only once: if a side's best unit has already been chosen, its next-best one
      // is used.
      const best = all.find((one) => !chosen.some((other) => other.unit === one.unit))
      if (best) chosen.push(best)
    }
    return extracted(chosen, inTurn(ofSides), chosen.length === 0 ? [] : missing)
  }
  const all = await asked.units(MOST_JUDGED)
  const dated = (all[0]?.value ?? 0) < LEAST.answer ? null : newestFirst(all, hits)
  return extracted(dated ?? chosenOf(asked, all, LENGTHS[options.length]), all)
}

/** The units worth showing, each text once, appended to those already chosen. */
function chosenOf(
  asked: AskedQuestion,
  all: readonly ValuedUnit[],
  { units, least, margin }: typeof EVIDENCE,
  before: readonly ValuedUnit[] = [],
): ValuedUnit[] {
  const enough = Math.max(least, (all[0]?.value ?? 0) - margin)
  return asked.distinct(
    all.filter(({ value }) => value >= enough),
    { most: units, before },
  )
}

/** The best unit for each of several questions; questions without one are listed as missing, in quotes. */
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
    evidence: evidence.slice(0, EVIDENCE.units),
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

/**
 * All units good enough to answer a question, best first; none repeats another from its page.
 *
 * @param compared a question about one side: only units that name the side answer it
 */
export async function answeringUnits(
  question: string,
  hits: readonly Source[],
  { compared, ...options }: JudgingOptions & { readonly compared?: ComparedSide | null },
): Promise<AnsweringUnit[]> {
  const asked = await AskedQuestion.over(hits, question, options)
  const answering = compared
    ? (await asked.unitsAbout(compared, question, MOST_JUDGED)).filter(
        // A unit doesn't answer the question just because it is about the side; only the first unit may merely say what
        // the side is.
        ({ value, plain }, at) =>
          plain >= LEAST.answer || (at === 0 && compared.asksWhatItIs && value >= LEAST.side),
      )
    : (await asked.units(MOST_JUDGED)).filter(({ value }) => value >= LEAST.answer)
  const isSame = (one: JudgedUnit, other: JudgedUnit) =>
    one.unit.source === other.unit.source && repeats(one, other)
  return asked.distinct(answering, { isSame }).map((one) => {
    const { kind, headings } = one.unit
    return { ...toCited(one, options), kind, headings, value: one.value }
  })
}

function toCited(one: DatedUnit, { rarity = new Map() }: JudgingOptions): CitedStatement {
  const { text, source } = one.unit
  const leads = leadsOf(one, rarity)
  const { outdated } = one
  return { text, source, ...(leads.length > 0 && { leads }), ...(outdated && { outdated }) }
}
