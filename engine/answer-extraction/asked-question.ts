import { analyse } from "../text/analysis/analyse.ts"
import type { Embedder } from "../embedder.ts"
import { holdsModelOrder } from "../text/model-orders.ts"
import { holdOf, type Source, unitsFound, type WeighedUnit } from "./found-units.ts"
import { judged, promising, type UnitReader } from "./judge.ts"
import { type QuestionType, questionType } from "./question-type.ts"
import { type Recency, recencyAsked } from "./recency.ts"
import type { Unit } from "./units/answer-units.ts"
import { type Rarity, repeats, valued, type ValuedUnit } from "./values.ts"

/** The models and facts that judge units. */
export interface JudgingOptions {
  /** Judges by meaning where no reader does; without an embedder, units are judged there by words alone. */
  readonly embedder?: Pick<Embedder, "embed">
  /** Reads English questions together with units. */
  readonly reader?: UnitReader | null
  /** How rare the question's terms are. Without this, all count as equally rare. */
  readonly rarity?: Rarity
  /** Words about the subject of the question, used by the reader or to judge by meaning: a unit need not contain them. */
  readonly context?: string
  /** When it aborts, only the units judged by then are used. */
  readonly signal?: AbortSignal
}

interface DistinctOptions {
  readonly most?: number
  readonly before?: readonly ValuedUnit[]
  readonly isSame?: typeof repeats
}

/** The side of a comparison that a question is about. */
export interface ComparedSide {
  readonly sides: readonly string[]
  /** The position of this side among the sides. */
  readonly at: number
  /** Whether the question only asks what the side is. */
  readonly asksWhatItIs: boolean
}

/** A unit about one side of a comparison; its value is raised if it is under the side's name, or begins with it. */
export interface SideUnit extends ValuedUnit {
  /** The unit's value before it was raised. */
  readonly plain: number
}

/** The minimum values, as logits, for an answer and for one side of a comparison. */
export const LEAST = { answer: 0, side: -2 }
/** Added to the value for a side if the unit begins with its name; added twice if the unit is under that name. */
const ABOUT = 1.5
/** A side's name is searched for in this many characters at the start of a text. */
const NAME_CHARS = 50
/** Types of questions about what to do; a question of unknown type may be one too. */
const TO_DO = new Set<QuestionType>(["method", "open"])

/** A question, and the units of the pages found for it. */
export class AskedQuestion {
  readonly #question: string
  readonly #type: QuestionType
  readonly #hits: readonly Source[]
  readonly #options: JudgingOptions
  readonly #units: readonly WeighedUnit[]
  readonly #recency: Recency | null

  private constructor(
    question: string,
    hits: readonly Source[],
    options: JudgingOptions,
    found: readonly WeighedUnit[],
  ) {
    this.#question = question
    this.#type = questionType(question)
    this.#hits = hits
    this.#options = options
    // A section's steps only help with questions about what to do.
    this.#units = found.filter(({ unit }) => unit.kind !== "steps" || TO_DO.has(this.#type))
    this.#recency = recencyAsked(
      question,
      hits,
      this.#units.map(({ unit }) => unit),
    )
  }

  static async over(
    hits: readonly Source[],
    question: string,
    options: JudgingOptions,
  ): Promise<AskedQuestion> {
    return new AskedQuestion(question, hits, options, await unitsFound(question, hits, options.signal))
  }

  /** The most promising units with their values, best first. */
  async units(most: number): Promise<ValuedUnit[]> {
    return await this.#valued(this.#question, this.#units, most)
  }

  /**
   * The most promising units that name one of several sides, best first.
   * @param question the question about that side
   */
  async unitsAbout(compared: ComparedSide, question: string, most: number): Promise<SideUnit[]> {
    const side = sideOf(compared, this.#units, this.#hits[0]?.language ?? null)
    const values = await this.#valued(question, side.units, most, side)
    return values
      .map((one) => ({ ...one, plain: one.value, value: one.value + ABOUT * side.about(one) }))
      .sort((a, b) => b.value - a.value)
  }

  /** The first units that don't repeat an earlier one, appended to those already chosen. */
  distinct(
    units: readonly ValuedUnit[],
    { most = Infinity, before = [], isSame = repeats }: DistinctOptions = {},
  ): ValuedUnit[] {
    const chosen = [...before]
    for (const one of units) {
      if (chosen.length >= most) break
      const same = chosen.findIndex((other) => isSame(one, other))
      if (same === -1) chosen.push(one)
      // For questions about what to do, a text is more useful together with its command.
      else if (TO_DO.has(this.#type) && one.unit.kind === "code" && chosen[same]!.unit.kind === "prose")
        chosen[same] = one
    }
    return chosen
  }

  async #valued(
    question: string,
    units: readonly WeighedUnit[],
    most: number,
    side?: Side,
  ): Promise<ValuedUnit[]> {
    const { embedder, reader = null, rarity = new Map(), context = "", signal } = this.#options
    const hits = this.#hits
    const sayable = promising(units, hits, 2 * most, side?.about)
      .filter(({ unit }) => isSayable(unit))
      .slice(0, most)
    if (sayable.length === 0) return []
    const judgement = await judged(`${question} ${context}`.trim(), sayable, {
      hits,
      embedder,
      reader,
      signal,
    })
    const named = side?.foreign ?? new Set<string>()
    return valued(judgement, { question, context, hits, rarity, recency: this.#recency, named })
  }
}

/** Whether a unit contains no instructions to language models. */
const isSayable = ({ headings, lead, text }: Unit): boolean =>
  !holdsModelOrder([headings.at(-1) ?? "", lead ?? "", text].join("\n"))

interface Side {
  /** The units that name the side. */
  readonly units: readonly WeighedUnit[]
  /** Terms that occur only in the names of the other sides. */
  readonly foreign: ReadonlySet<string>
  /** 2 if the unit is under the side's name and no other's, 1 if it begins with that name, otherwise 0. */
  readonly about: (one: WeighedUnit) => number
}

function sideOf(
  { sides, at, asksWhatItIs }: ComparedSide,
  units: readonly WeighedUnit[],
  language: string | null,
): Side {
  const terms = sides.map((side) => new Set(analyse(side, language)))
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
    units: units.filter(
      (one) =>
        telling.every((term) => holdOf(one, term) > 0) &&
        // A synopsis explains how to write something, not what it is.
        !(asksWhatItIs && one.unit.text.startsWith("```")),
    ),
    foreign,
    about: ({ unit: { lead, headings, text } }) =>
      names(lead) || (headings.length > 1 && names(headings.at(-1))) ? 2 : names(text) ? 1 : 0,
  }
}
