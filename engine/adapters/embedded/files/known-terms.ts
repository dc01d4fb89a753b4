import path from "node:path"
import { keep, keptVersion, NEVER_KEPT, readKept } from "./kept-file.ts"
import { fnv1a } from "#base/text/hash.ts"

/** Size of the filter in bits. With a million terms, two in a thousand unknown terms count as known; with a hundred thousand, none. */
const BITS = 2 ** 24
const BYTES = BITS / 8
const BITS_OF_TERM = 4
const FIRST_SEED = 0x811c9dc5

export const KNOWN_TERMS = "known-terms.bin"

/**
 * Which terms are, or were, on some page: a Bloom filter (1970) of two megabytes, with four bits per term. The slots of
 * `term-frequencies.ts` don't show this, because none of them is empty in a large index.
 *
 * Stored in the same way as the frequencies: a process that is killed loses the new terms from its last seconds. So the
 * index itself is queried before a term that is unknown here is treated as misspelt.
 */
export class KnownTerms {
  readonly #bits: Uint8Array
  readonly #version: string

  private constructor(bits: Uint8Array, version: string) {
    this.#bits = bits
    this.#version = version
  }

  static none(): KnownTerms {
    return new KnownTerms(new Uint8Array(BYTES), NEVER_KEPT)
  }

  /** The last saved state; empty when there is none, or it cannot be read. */
  static async load(dir: string): Promise<KnownTerms> {
    const kept = await readKept(fileIn(dir), BYTES)
    return kept ? new KnownTerms(kept.bytes, kept.version) : KnownTerms.none()
  }

  /** Whether the last saved state can be read. */
  static async isSaved(dir: string): Promise<boolean> {
    return (await readKept(fileIn(dir), BYTES)) !== null
  }

  /** Returns these terms, or newer ones if any have been saved since. */
  async newest(dir: string): Promise<KnownTerms> {
    return (await keptVersion(fileIn(dir))) === this.#version ? this : KnownTerms.load(dir)
  }

  async save(dir: string): Promise<void> {
    await keep(fileIn(dir), this.#bits)
  }

  /**
   * @param terms separated by single spaces.
   * @param added terms added before, which are skipped; the new ones are added to it
   */
  add(terms: string, added = new Set<string>()): void {
    for (const term of terms.split(" ")) {
      if (added.has(term)) continue
      added.add(term)
      const one = hash(term, FIRST_SEED)
      const step = stepOf(term)
      for (let i = 0; i < BITS_OF_TERM; i++) this.#set((one + Math.imul(i, step)) & (BITS - 1))
    }
  }

  #set(bit: number): void {
    this.#bits[bit >>> 3]! |= 1 << (bit & 7)
  }

  has(term: string): boolean {
    const one = hash(term, FIRST_SEED)
    // Almost every unknown term fails at the first bit checked, and a misspelt word causes thousands of lookups.
    if (!this.#isSet(one & (BITS - 1))) return false
    const step = stepOf(term)
    for (let i = 1; i < BITS_OF_TERM; i++) {
      if (!this.#isSet((one + Math.imul(i, step)) & (BITS - 1))) return false
    }
    return true
  }

  #isSet(bit: number): boolean {
    return (this.#bits[bit >>> 3]! & (1 << (bit & 7))) !== 0
  }
}

const fileIn = (dir: string) => path.join(dir, KNOWN_TERMS)

/** The distance between two consecutive bits of a term, so that two hashes determine all four bits (Kirsch, Mitzenmacher 2006). */
const stepOf = (term: string): number => hash(term, 0x2c1b3c6d) | 1

/** FNV-1a over UTF-16 units, with a final mixing step so that the low bits depend on the whole term. */
function hash(term: string, start: number): number {
  let value = fnv1a(term, start)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return value ^ (value >>> 13)
}
