import { lazily } from "#base/process/lazily.ts"
import { analyse, analyseQuery } from "../text/analysis/analyse.ts"
import { overlap } from "../text/analysis/likeness.ts"
import { chanceOf, holdOf, type Source } from "./found-units.ts"
import type { Judge, JudgedUnit, Judgement } from "./judge.ts"
import { hasForm, type QuestionType, questionType } from "./question-type.ts"
import type { Recency } from "./recency.ts"

/** The inverse document frequencies of the question's terms in the whole index. Terms missing from this map don't count. */
export type Rarity = ReadonlyMap<string, number>

export interface ValuedUnit extends JudgedUnit {
  /** How likely the unit is to answer the question, as a logit. */
  readonly value: number
}

/** Evidence for or against a unit, each about 0..1 except the reader's logit. */
interface Signs {
  /** The judge's score. */
  readonly said: number
  /** Share of the question's words in the unit or its headings. */
  readonly words: number
  /** The probability that the unit's page answers the question. */
  readonly page: number
  /** The rank of the unit's passage among the page's best. */
  readonly passage: number
  /** Whether the unit has the form that the question asks for, and whether it lacks that form although only that form can answer the question. */
  readonly form: number
  readonly formless: number
  /** Whether the question asks how to do something and the unit consists of steps, code, a list or an entry. */
  readonly step: number
  /** The rarity of the rarest term missing from the unit, its title and its address. */
  readonly missing: number
  /** Whether a number or a name from the question is missing. */
  readonly number: number
  readonly name: number
}

const WEIGHTS: Readonly<Record<Judge, Signs & { readonly bias: number }>> = {
  reader: {
    bias: 0,
    said: 0.59,
    words: 2.1,
    page: 1.73,
    passage: 0.95,
    form: 0.83,
    formless: -0.25,
    step: -0.32,
    missing: -2.05,
    number: -0.17,
    name: -1.26,
  },
  meaning: {
    bias: -6,
    said: 4.68,
    words: 3.56,
    page: 2.68,
    passage: 1.51,
    form: 1.07,
    formless: -1.09,
    step: -0.43,
    missing: -1.96,
    number: -0.19,
    name: -1.47,
  },
  words: {
    bias: -4.7,
    said: 0,
    words: 4.04,
    page: 3.75,
    passage: 1.94,
    form: 0.94,
    formless: -1.23,
    step: -0.29,
    missing: -2.54,
    number: -0.43,
    name: -1.8,
  },
}
/** The weight of recency if the question asks for the newest information. */
const RECENCY = 3
/** The bonus for an entry or a row whose name contains the question's rarest term, since its siblings have other values. */
const NAMED = 1.5
/** The rarity of a term that one page in a thousand has; rarer terms count no more than that. */
const RAREST = 7
/** Types of questions that only units of the right form can answer. */
const STRICT = new Set<QuestionType>(["amount", "time", "person", "place"])
const STEPS = new Set(["steps", "code", "list", "entry"])

interface Asking {
  readonly question: string
  /** Text around the question. A unit need not contain its words, but its page should. */
  readonly context?: string
  readonly hits: readonly Source[]
  readonly rarity: Rarity
  readonly recency: Recency | null
  /** Terms that can be missing from a unit. */
  readonly named: ReadonlySet<string>
}

/** Assigns values to judged units, best first. */
export function valued({ by, units }: Judgement, asking: Asking): ValuedUnit[] {
  const { bias, ...weights } = WEIGHTS[by]
  const names = Object.keys(weights) as (keyof Signs)[]
  const type = questionType(asking.question)
  // Each page is examined only once, because it can be long and contain many of the units.
  const pages = asking.hits.map((hit) => lazily(() => pageOf(hit, asking)))
  return units
    .map((one) => {
      const signs = signsOf(one, type, pages[one.unit.source]!(), asking)
      const value = names.reduce((sum, name) => sum + weights[name] * signs[name], bias)
      const named = isNamed(one, asking) ? NAMED : 0
      return { ...one, value: value + named + RECENCY * (asking.recency?.(one.unit) ?? 0) }
    })
    .sort((a, b) => b.value - a.value)
}

/** Facts about a page that are shared by the evidence of all its units. */
interface AskedPage {
  readonly chance: number
  /** The page's title and address, in lower case. */
  readonly address: string
  readonly lacksName: boolean
  /** How much of the context the page lacks, judged by the rarity of the words, like `missing` in {@link Signs}. */
  readonly lacksContext: number
}

function pageOf(hit: Source, { question, context = "", rarity }: Asking): AskedPage {
  const text = lazily(() => `${hit.title}\n${hit.markdown}`.toLowerCase())
  return {
    chance: chanceOf(hit),
    address: `${hit.title} ${decoded(hit.url ?? "")}`.toLowerCase(),
    lacksName: hit.language === "en" && namesIn(question).some((name) => !text().includes(name)),
    lacksContext: context === "" ? 0 : lackOf(analyseQuery(context, hit.language).terms, text(), rarity),
  }
}

function lackOf(terms: readonly string[], text: string, rarity: Rarity): number {
  const weigh = (some: readonly string[]) => some.reduce((sum, term) => sum + (rarity.get(term) ?? 0), 0)
  const lacking = terms.filter((term) => !text.includes(term))
  return rarest(lacking, rarity) * (weigh(lacking) / (weigh(terms) || 1))
}

/** The rarity of the rarest of the given terms, 0..1. */
const rarest = (terms: readonly string[], rarity: Rarity): number =>
  Math.max(0, ...terms.map((term) => Math.min(1, (rarity.get(term) ?? 0) / RAREST)))

function signsOf(
  one: JudgedUnit,
  type: QuestionType,
  page: AskedPage,
  { rarity, named }: Pick<Asking, "rarity" | "named">,
): Signs {
  const { unit, said, words } = one
  const text = `${unit.lead ?? ""} ${unit.text}`
  const isOfForm = hasForm(type, text)
  const missing = one.asked.filter(
    (term) => !named.has(term) && holdOf(one, term) === 0 && !page.address.includes(term),
  )
  return {
    said,
    words,
    page: page.chance,
    passage: 1 / (1 + unit.rank),
    form: isOfForm ? 1 : 0,
    formless: STRICT.has(type) && !isOfForm ? 1 : 0,
    step: type === "method" && STEPS.has(unit.kind) ? 1 : 0,
    missing: Math.max(rarest(missing, rarity), page.lacksContext),
    number: missing.some((term) => /^\d/.test(term)) ? 1 : 0,
    name: page.lacksName ? 1 : 0,
  }
}

/** Whether the name of an entry, or the first cell of a row, contains the rarest term of the question. */
function isNamed({ unit, asked }: JudgedUnit, { rarity, hits }: Asking): boolean {
  const name = unit.kind === "entry" ? unit.lead : unit.kind === "row" ? firstCell(unit.text) : null
  if (name === null) return false
  const [first] = asked.toSorted((a, b) => (rarity.get(b) ?? 0) - (rarity.get(a) ?? 0))
  return (
    first !== undefined && rarity.has(first) && analyse(name, hits[unit.source]!.language).includes(first)
  )
}

/** The first cell of a table with one row; `null` for other texts. */
const firstCell = (text: string): string | null =>
  /^\|.*\|\n\|[-|]+\|\n\| *([^|\n]+?) *\|[^\n]*$/.exec(text)?.[1] ?? null

/** A capitalised word that doesn't begin a sentence. English only: other languages capitalise nouns. */
const NAME = /(?<=[^\s.?!:]\s+)\p{Lu}[\p{L}\p{N}_-]+/gu

/** The names in an English question, in lower case. */
const namesIn = (question: string): string[] => (question.match(NAME) ?? []).map((name) => name.toLowerCase())

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/** Units that share a larger part of their terms than this say the same thing. */
const REPETITION = 0.6

/** Whether a unit repeats another one. */
export const repeats = (one: JudgedUnit, other: JudgedUnit): boolean =>
  overlap(one.own, other.own) > REPETITION ||
  (one.unit.source === other.unit.source &&
    (one.unit.text.includes(other.unit.text) || other.unit.text.includes(one.unit.text)))
