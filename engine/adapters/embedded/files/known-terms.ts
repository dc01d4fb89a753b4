import path from "node:path"
import { keep, keptVersion, NEVER_KEPT, readKept } from "./kept-file.ts"
import { fnv1a } from "#base/text/hash.ts"

/** Of a million terms it takes two in a thousand others for known; of a hundred thousand, none. */
const BITS = 2 ** 24
const BYTES = BITS / 8
const FIRST_SEED = 0x811c9dc5

export const KNOWN_TERMS = "known-terms.bin"

/**
 * Which terms stand, or stood, in some page: a Bloom filter (1970) of two megabytes, each term in four bits. The
 * slots of `term-frequencies.ts` cannot tell, for in a large index none is empty.
 *
 * Kept as the frequencies are: a process that is killed loses the new terms of its last seconds. So the index itself
 * is asked before a term that is unknown here is taken for misspelt.
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

  /** What was saved last; empty when nothing was, or when it cannot be read. */
  static async load(dir: string): Promise<KnownTerms> {
    const kept = await readKept(fileIn(dir), BYTES)
    return kept ? new KnownTerms(kept.bytes, kept.version) : KnownTerms.none()
  }

  /** Whether what was saved last can be read. */
  static async isSaved(dir: string): Promise<boolean> {
    return (await readKept(fileIn(dir), BYTES)) !== null
  }

  /** These, or newer ones when they were saved since. */
  async newest(dir: string): Promise<KnownTerms> {
    return (await keptVersion(fileIn(dir))) === this.#version ? this : KnownTerms.load(dir)
  }

  async save(dir: string): Promise<void> {
    await keep(fileIn(dir), this.#bits)
  }

  /** @param terms with a space between two. */
  add(terms: string): void {
    for (const term of new Set(terms.split(" "))) {
      for (const bit of bitsOf(term)) this.#bits[bit >>> 3]! |= 1 << (bit & 7)
    }
  }

  has(term: string): boolean {
    // Nearly every unknown term fails at its first bit, and a misspelt word has thousands of them looked up.
    if (!this.#isSet(hash(term, FIRST_SEED) & (BITS - 1))) return false
    return bitsOf(term).every((bit) => this.#isSet(bit))
  }

  #isSet(bit: number): boolean {
    return (this.#bits[bit >>> 3]! & (1 << (bit & 7))) !== 0
  }
}

const fileIn = (dir: string) => path.join(dir, KNOWN_TERMS)

/** Four bits from two hashes (Kirsch, Mitzenmacher 2006). */
function bitsOf(term: string): number[] {
  const one = hash(term, FIRST_SEED)
  const step = hash(term, 0x2c1b3c6d) | 1
  return [0, 1, 2, 3].map((i) => (one + Math.imul(i, step)) & (BITS - 1))
}

/** FNV-1a over UTF-16 units, with a last mix so that the low bits depend on all of it. */
function hash(term: string, start: number): number {
  let value = fnv1a(term, start)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return value ^ (value >>> 13)
}
