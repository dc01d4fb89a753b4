import type { PageNames } from "./page-names.ts"
import { termHash } from "./analysis/term-hash.ts"
import type { PassageTerms } from "./sections.ts"

/** The terms of a page that ranking reads for every candidate. */
export interface PageTerms extends PageNames {
  /** Terms of each passage, by its position. */
  readonly passages: readonly PassageTerms[]
}

/** The terms of a page, as 32-bit hashes. */
export interface PackedPage {
  readonly title: Uint32Array
  readonly address: Uint32Array
  readonly single: readonly Uint32Array[]
  readonly passages: PackedPassages
}

/** The passages one after the other. */
export interface PackedPassages {
  /** Number of terms of each passage. */
  readonly lengths: Uint32Array
  readonly hashes: Uint32Array
}

/**
 * Packs the terms of a page so compactly that they can be read for every candidate of a query: the number of names and
 * passages, the number of terms of each, then the terms' hashes, all in 32 bits. Analysing the text again takes a
 * hundred times as long.
 */
export function packTerms({ title, address, single, passages }: PageTerms): Uint8Array {
  const names = [title, address, ...single]
  const lengths = [
    ...names.map((terms) => terms.length),
    ...passages.map(({ headings, text }) =>
      headings.reduce((sum, { terms }) => sum + terms.length, text.terms.length),
    ),
  ]
  const numbers = new Uint32Array(lengths.reduce((sum, length) => sum + length, 2 + lengths.length))
  numbers.set([names.length, passages.length, ...lengths])
  let at = 2 + lengths.length
  for (const terms of names) for (const term of terms) numbers[at++] = termHash(term)
  for (const { headings, text } of passages) {
    for (const { terms } of [...headings, text]) for (const { hash } of terms) numbers[at++] = hash
  }
  return new Uint8Array(numbers.buffer)
}

/** @param packed terms packed by {@link packTerms} */
export function unpackTerms(packed: Uint8Array): PackedPage {
  const numbers = aligned(packed)
  const [names = 0, passages = 0] = numbers
  const lengths = numbers.subarray(2, 2 + names + passages)
  let at = 2 + names + passages
  const called = Array.from(lengths.subarray(0, names), (length) => numbers.subarray(at, (at += length)))
  const [title = NONE, address = NONE, ...single] = called
  return {
    title,
    address,
    single,
    passages: { lengths: lengths.subarray(names), hashes: numbers.subarray(at) },
  }
}

/** The hash of every term of a page, once per occurrence. @param packed terms packed by {@link packTerms} */
export function hashesIn(packed: Uint8Array): Uint32Array {
  const numbers = aligned(packed)
  const [names = 0, passages = 0] = numbers
  return numbers.subarray(2 + names + passages)
}

const NONE = new Uint32Array(0)

/** SQLite's bytes can start at any offset; 32-bit numbers must be aligned. */
function aligned(bytes: Uint8Array): Uint32Array {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(whole.buffer, whole.byteOffset, whole.byteLength >>> 2)
}
