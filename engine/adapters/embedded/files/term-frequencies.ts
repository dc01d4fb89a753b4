import path from "node:path"
import { inverseFrequency } from "../../../search/ranking/word-statistics.ts"
import { termHash } from "../../../text/analysis/term-hash.ts"
import { keep, keptVersion, NEVER_KEPT, readKept } from "./kept-file.ts"

/** Number of slots, which terms share by their hash: with 2^18 slots, a rare term is seldom mistaken for a frequent one. */
const SLOTS = 2 ** 18

export const TERM_FREQUENCIES = "terms.bin"

/**
 * Approximately how many pages each term is on, which makes the scores of different questions comparable.
 *
 * The writer counts as it indexes; a page that is indexed again is counted again, both for its terms and in the total,
 * so the ratio stays right. The counts are stored next to the tables, because LanceDB doesn't report them, and querying
 * term by term costs more than the search. A process that is killed loses the counts from its last seconds.
 */
export class TermFrequencies {
  readonly #counts: Uint32Array
  #pages: number
  /** For each slot, the number of the last page counted there, so that each page is counted once. Only a writer has this. */
  #lastPages: Uint32Array | undefined
  #version: string

  private constructor(counts: Uint32Array, pages: number, version: string) {
    this.#counts = counts
    this.#pages = pages
    this.#version = version
  }

  static none(): TermFrequencies {
    return new TermFrequencies(new Uint32Array(SLOTS), 0, NEVER_KEPT)
  }

  /** The last saved state; empty when there is none, or it cannot be read. */
  static async load(dir: string): Promise<TermFrequencies> {
    const kept = await readKept(fileIn(dir), 4 + SLOTS * 4)
    if (!kept) return TermFrequencies.none()
    // Copied, because the file's bytes need not be aligned.
    const numbers = new Uint32Array(new Uint8Array(kept.bytes).buffer)
    return new TermFrequencies(numbers.subarray(1), numbers[0]!, kept.version)
  }

  /** Whether the last saved state can be read. */
  static async isSaved(dir: string): Promise<boolean> {
    return (await readKept(fileIn(dir), 4 + SLOTS * 4)) !== null
  }

  /** Returns these counts, or newer ones if any have been saved since. */
  async newest(dir: string): Promise<TermFrequencies> {
    return (await keptVersion(fileIn(dir))) === this.#version ? this : TermFrequencies.load(dir)
  }

  async save(dir: string): Promise<void> {
    await keep(fileIn(dir), Buffer.concat([bytesOf(Uint32Array.of(this.#pages)), bytesOf(this.#counts)]))
  }

  /**
   * @param hashes hashes of the terms of one page, from `term-hash.ts`; may contain duplicates
   * @param language the language of the page, which is counted like a term
   */
  add(hashes: Iterable<number>, language: string | null): void {
    this.#pages++
    const lastPages = (this.#lastPages ??= new Uint32Array(SLOTS))
    const count = (hash: number) => {
      const slot = slotOf(hash)
      if (lastPages[slot] === this.#pages) return
      lastPages[slot] = this.#pages
      this.#counts[slot]!++
    }
    for (const hash of hashes) count(hash)
    if (language !== null) count(hashOfLanguage(language))
  }

  /**
   * The share of pages that are in a language, 0..1; the language has at least one page. Counts are saved later than
   * pages: until the first pages in a language have been counted, they are taken to be one page.
   */
  shareOf(language: string): number {
    return Math.max(1, this.#counts[slotOf(hashOfLanguage(language))]!) / Math.max(1, this.#pages)
  }

  /** Number of pages counted. */
  get pages(): number {
    return this.#pages
  }

  /** Approximate number of the counted pages that contain a term. */
  pagesWith(term: string): number {
    return this.#counts[slotOf(termHash(term))]!
  }

  /** The inverse document frequency of a term, as in BM25: never negative. */
  idf(term: string): number {
    return inverseFrequency(this.pagesWith(term), this.#pages)
  }
}

/** No term contains white space. */
const hashOfLanguage = (language: string) => termHash(`language ${language}`)
const fileIn = (dir: string) => path.join(dir, TERM_FREQUENCIES)
const bytesOf = (numbers: Uint32Array) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)

/** Folds a 32-bit hash into the range of slots. */
const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1)
