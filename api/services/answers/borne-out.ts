import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder } from "#engine"
import { cosineOf, traitsOf } from "#engine/embedder.ts"
import { nearnessOf } from "#engine/search/ranking/fusion.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { isWrittenIn } from "#engine/text/scripts.ts"

import { type Figures, figuresIn, figuresOf, holdsFigures, withoutAddresses } from "./figures.ts"
import { areApart, namesIn, type Spoken, spokenIn } from "./other-language.ts"

/** Share of a sentence's distinctive words that its sources must have. Models can inflect and join words; they must not add any. */
export const SUPPORTED = 0.5
/**
 * Minimum similarity, from 0 for unrelated texts to 1 for texts that mean the same, at which a sentence counts as
 * saying the same as a source in another language. Measured on thirty sentences in German, French, Russian and Chinese
 * against English passages: a multilingual model rates supported sentences at 0.47 to 1.03 and made-up ones at less
 * than 0.41; a model trained on English, at 0.04 to 0.52 and less than 0.23.
 */
const NEAR = { manyScripts: 0.45, others: 0.25 }
/** Number of characters of a source that are compared at a time. */
const PIECE_CHARS = 500
const MOST_PIECES = 24
/** Minimum length of a piece: headings and lines of code are similar to any text on their subject. */
const LEAST_PIECE = 40

export interface BearingOptions {
  /** Compares meanings; if `null`, only words are compared. */
  readonly embedder: Pick<Embedder, "embed" | "traits"> | null
  readonly signal: AbortSignal
  /** Total milliseconds to wait for the embedder, not including the time between sentences. Default: no limit. */
  readonly patience?: number
}

/** Compares the text of models with the sources they saw. */
export class Bearing {
  readonly #embedder: BearingOptions["embedder"]
  readonly #signal: AbortSignal
  #patience: number
  /** Texts that were analysed before, since each sentence is compared with many sources, and each source with many sentences. */
  readonly #read = new Map<string, ReadText>()
  readonly #vectors = new Map<string, Promise<Float32Array[]>>()

  constructor({ embedder, signal, patience = Infinity }: BearingOptions) {
    this.#embedder = embedder
    this.#signal = signal
    this.#patience = patience
  }

  /**
   * Whether a source supports a text: it has every number and address of the text, and a share of its other distinctive
   * words; texts with links are never supported. Words can't be compared between different languages: in that case the
   * source must have the numbers, addresses and names, and a similar meaning.
   *
   * @param share share of the text's distinctive words that the source must have
   */
  async bears(text: string, source: string, share: number = SUPPORTED): Promise<boolean> {
    const [own, other] = [this.#reading(text), this.#reading(source)]
    if (!holdsFigures(text, other.figures)) return false
    const held = own.telling.filter((term) => other.terms.has(term)).length
    if (own.telling.length > 0 && held >= share * own.telling.length) return true
    if (!areApart(own.spoken, other.spoken)) return false
    const names = namesIn(text, own.spoken)
    if (!names.every((name) => other.lower.includes(name.toLowerCase()))) return false
    const near = await this.#near(text, source)
    // A model that cannot read the text can't judge its meaning, so the text must at least contain a name or a number.
    return near ?? (names.length > 0 || figuresOf(text).length > 0)
  }

  #reading(text: string): ReadText {
    let read = this.#read.get(text)
    if (!read) this.#read.set(text, (read = new ReadText(text)))
    return read
  }

  /** Whether the texts are similar in meaning; `null` when the vectors cannot decide. */
  async #near(text: string, source: string): Promise<boolean | null> {
    const embedder = this.#embedder
    if (!embedder) return null
    const { scripts, cosines } = traitsOf(embedder)
    if (!isWrittenIn(scripts, text) || !isWrittenIn(scripts, source)) return null
    if (this.#patience <= 0) return byWords()
    const since = performance.now()
    const options = { priority: "query" as const, signal: this.#until() }
    let pieces = this.#vectors.get(source)
    if (!pieces) this.#vectors.set(source, (pieces = embedder.embed(piecesOf(source), options)))
    try {
      const [[own], others] = await Promise.all([embedder.embed([text], options), pieces])
      const best = Math.max(...others.map((vector) => cosineOf(vector, own!)))
      const least = scripts === null || scripts.length > 1 ? NEAR.manyScripts : NEAR.others
      return nearnessOf(best, cosines) >= least
    } catch {
      // The embedder is busy or away; it may be back for the next sentence.
      this.#vectors.delete(source)
      return byWords()
    } finally {
      this.#patience -= performance.now() - since
    }
  }

  #until(): AbortSignal {
    if (this.#patience === Infinity) return this.#signal
    return AbortSignal.any([this.#signal, AbortSignal.timeout(Math.ceil(this.#patience))])
  }
}

/** Records that there was no time to compare the meaning. */
function byWords(): null {
  leaveOut("answer_meaning")
  return null
}

/** A text, and the data computed from it on first use. */
class ReadText {
  readonly text: string
  #terms: ReadonlySet<string> | undefined
  #telling: readonly string[] | undefined
  #figures: Figures | undefined
  #spoken: Spoken | undefined
  #lower: string | undefined

  constructor(text: string) {
    this.text = text
  }

  get terms(): ReadonlySet<string> {
    return (this.#terms ??= new Set(analyse(this.text, null)))
  }

  /** Terms of the meaningful words; addresses are left out. */
  get telling(): readonly string[] {
    return (this.#telling ??= analyseQuery(withoutAddresses(this.text), null).terms)
  }

  get figures(): Figures {
    return (this.#figures ??= figuresIn(this.text))
  }

  get spoken(): Spoken {
    return (this.#spoken ??= spokenIn(this.text))
  }

  get lower(): string {
    return (this.#lower ??= this.text.toLowerCase())
  }
}

function piecesOf(source: string): string[] {
  const pieces: string[] = []
  for (const line of source.split(/\n+/).filter((one) => one.trim() !== "")) {
    for (let at = 0; at < line.length; at += PIECE_CHARS) pieces.push(line.slice(at, at + PIECE_CHARS))
  }
  const telling = pieces.filter((piece) => piece.length >= LEAST_PIECE)
  return (telling.length > 0 ? telling : pieces).slice(0, MOST_PIECES)
}
