import questions from "./everyday-questions.json" with { type: "json" }
import { areSpoken, clearlyIn } from "./reader-language.ts"

/** The same everyday questions in each language. */
const EVERYDAY: Readonly<Record<string, readonly string[]>> = questions

/**
 * A multilingual model keeps languages apart: part of a vector is the language of its text (Yang et al. 2021, "A Simple
 * and Effective Method To Eliminate the Self Language Bias in Multilingual Representations"). This share of the
 * difference between everyday questions in two languages is subtracted from a question's vector. nDCG@10 by vectors
 * alone, on the even questions of XQuAD in ten languages about its English paragraphs: mean, Chinese, and the change
 * for the language that gains least:
 *
 * none   0.857  0.734
 * 0.5    0.866  0.770  -0.001
 * 0.75   0.866  0.781  -0.005
 * 1      0.862  0.780  -0.014
 */
const TAKEN_OFF = 0.5
/** The minimum share of pages in one language: moving a question towards that language doesn't help with pages in other languages. */
const MOST_PAGES = 0.5

/** The offset from a question's language to the pages' language, both ISO 639-1. */
export interface LanguageOffset {
  readonly from: string
  readonly to: string
}

/**
 * Returns null if the question is in one of the pages' languages or its language is unclear, or if most pages aren't in
 * a single language.
 *
 * @param asked the languages that the question is clearly in
 * @param shares share of the pages in each language
 */
export function offsetFor(
  asked: readonly string[],
  shares: ReadonlyMap<string, number>,
): LanguageOffset | null {
  const from = asked.find((one) => one in EVERYDAY)
  const to = [...shares].find(([one, share]) => share > MOST_PAGES && one in EVERYDAY)?.[0]
  if (from === undefined || to === undefined || from === to || areSpoken(asked, shares)) return null
  return { from, to }
}

/**
 * How a question's language affects its search: the languages that it is clearly in, how its vector is moved, and
 * whether it might be in a language that the model supports but no page is written in, so that pages need not contain
 * its words.
 *
 * @param shares share of the pages in each language
 * @param scripts scripts that the model supports; null if unknown, empty if the search uses words alone
 */
export function askedIn(
  question: string,
  shares: ReadonlyMap<string, number>,
  scripts: readonly string[] | null,
) {
  const languages = clearlyIn(question)
  const readsOthers = scripts?.some((one) => one !== "Latin") ?? true
  return {
    languages,
    offset: readsOthers && scripts !== null ? offsetFor(languages, shares) : null,
    isForeign: readsOthers && !areSpoken(languages, shares),
  }
}

/** Moves question vectors to the language of the pages. */
export class LanguageOffsets {
  readonly #vectorOf: (text: string) => Promise<Float32Array>
  /** The mean vectors of the everyday questions, by language. */
  readonly #means = new Map<string, Promise<Float32Array>>()

  constructor(vectorOf: (text: string) => Promise<Float32Array>) {
    this.#vectorOf = vectorOf
  }

  /** Returns a vector of unit length; returns the given one if the everyday questions can't be embedded. */
  async moved(vector: Float32Array, { from, to }: LanguageOffset): Promise<Float32Array> {
    try {
      const [asked, wanted] = await Promise.all([this.#meanOf(from), this.#meanOf(to)])
      return toUnit(vector.map((value, i) => value - TAKEN_OFF * (asked[i]! - wanted[i]!)))
    } catch {
      // The model did embed the question itself, so the next such question triggers another attempt.
      return vector
    }
  }

  #meanOf(language: string): Promise<Float32Array> {
    let mean = this.#means.get(language)
    if (!mean) {
      mean = this.#made(EVERYDAY[language]!)
      mean.catch(() => this.#means.delete(language))
      this.#means.set(language, mean)
    }
    return mean
  }

  async #made(texts: readonly string[]): Promise<Float32Array> {
    const vectors = await Promise.all(texts.map((text) => this.#vectorOf(text)))
    return vectors[0]!.map((_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length)
  }
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}
