import { noteCache } from "#base/flow/memory/cache-memory.ts"
import { ownCopy } from "#base/text/own-copy.ts"
import type { Stem } from "./stem.ts"
import { termHash } from "./term-hash.ts"

/** A term, and the 32-bit hash that is packed and counted in its place. */
export interface Term {
  readonly text: string
  readonly hash: number
}

/** The terms of a text, and the same terms joined by spaces. */
export interface Terms {
  readonly terms: readonly Term[]
  readonly text: string
}

/** The texts of all entries that have terms. */
export const textsOf = (all: readonly Terms[]): string[] =>
  all.flatMap(({ terms, text }) => (terms.length > 0 ? text : []))

/** Maximum number of chunks in each of the two halves: seven hundred manual pages have 65,000 distinct ones. */
const MOST = 49_152
const SLOTS = 2 ** 17
/** Size of a chunk with its terms. */
const BYTES_OF_CHUNK = 160

export const termOf = (text: string): Term => ({ text, hash: termHash(text) })

export const termsOf = (texts: readonly string[]): Terms => ({
  terms: texts.map(termOf),
  text: texts.join(" "),
})

class Half {
  /** For each slot, the position of its chunk in the lists below, from 1; 0 for an empty slot. */
  readonly slots = new Uint16Array(SLOTS)
  readonly hashes = new Int32Array(MOST)
  readonly chunks: string[] = []
  readonly stems: Stem[] = []
  readonly terms: (readonly Term[])[] = []

  /** The place of a chunk, or -1. */
  find(text: string, from: number, to: number, hash: number, stem: Stem): number {
    for (let slot = slotOf(hash); this.slots[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
      const place = this.slots[slot]! - 1
      if (this.hashes[place] !== hash || this.stems[place] !== stem) continue
      if (isAt(text, from, to, this.chunks[place]!)) return place
    }
    return -1
  }

  add(chunk: string, hash: number, stem: Stem, terms: readonly Term[]): void {
    let slot = slotOf(hash)
    while (this.slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    this.hashes[this.chunks.length] = hash
    this.chunks.push(chunk)
    this.stems.push(stem)
    this.terms.push(terms)
    this.slots[slot] = this.chunks.length
  }
}

const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1)

function isAt(text: string, from: number, to: number, chunk: string): boolean {
  if (chunk.length !== to - from) return false
  for (let i = 0; i < chunk.length; i++) if (chunk.charCodeAt(i) !== text.charCodeAt(from + i)) return false
  return true
}

/** The half that is being filled, and the full one before it. */
let late: Half | null = null
let early: Half | null = null

noteCache("chunks", {
  get held() {
    return ((late?.chunks.length ?? 0) + (early?.chunks.length ?? 0)) * BYTES_OF_CHUNK
  },
  total: 2 * MOST * BYTES_OF_CHUNK,
})

/**
 * The terms of the chunk between two positions in a text, remembered as long as it keeps appearing: the words of a page
 * repeat, and so do those of its site. A known chunk is found without slicing the text.
 *
 * @param hash of the chunk's UTF-16 units
 */
export function knownTerms(
  text: string,
  from: number,
  to: number,
  hash: number,
  stem: Stem,
  make: (chunk: string, stem: Stem) => readonly string[],
): readonly Term[] {
  late ??= new Half()
  const place = late.find(text, from, to, hash, stem)
  if (place !== -1) return late.terms[place]!
  const before = early?.find(text, from, to, hash, stem) ?? -1
  const chunk = before === -1 ? ownCopy(text.slice(from, to)) : early!.chunks[before]!
  const terms = before === -1 ? make(chunk, stem).map(termOf) : early!.terms[before]!
  if (late.chunks.length === MOST) {
    early = late
    late = new Half()
  }
  late.add(chunk, hash, stem, terms)
  return terms
}
