import { FNV1A_START, fnv1a, fnv1aStep } from "#base/text/hash.ts"

/** A run of words without white space, including the marks that join words into one name: `a.b`, `a::b`, `a-b`. */
export const CHUNK =
  /[\p{L}\p{M}\p{N}_]+(?:(?:[.:'’\-/@+&]|::|->)[\p{L}\p{M}\p{N}_]+)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu

const SURROGATE = /[\ud800-\udfff]/

/** Bits that describe a character's kind. */
const [IN_WORDS, LETTER_OR_DIGIT, JOINS, KNOWN] = [1, 2, 4, 8]
/** The kind of each UTF-16 unit, computed once. */
const kinds = new Uint8Array(0x10000)

function classify(unit: number): number {
  const char = String.fromCharCode(unit)
  const inWords = /[\p{L}\p{M}\p{N}_]/u.test(char) ? IN_WORDS : 0
  const letter = /[\p{L}\p{N}]/u.test(char) ? LETTER_OR_DIGIT : 0
  return (kinds[unit] = KNOWN | inWords | letter | (/[.:'’\-/@+&]/.test(char) ? JOINS : 0))
}

/** The kind of the character at a place; 0 past the end. */
function kindAt(text: string, at: number): number {
  if (at >= text.length) return 0
  const unit = text.charCodeAt(at)
  return kinds[unit] || classify(unit)
}

/**
 * Finds the same chunks as {@link CHUNK} in a third of the time, without building strings.
 *
 * @param take called with the start and end of a chunk, and the FNV-1a hash of its UTF-16 units
 */
export function findChunks(text: string, take: (from: number, to: number, hash: number) => void): void {
  // Only the pattern handles characters outside the BMP, which take two units.
  if (SURROGATE.test(text)) return findByPattern(text, take)
  const { length } = text
  for (let at = 0; at < length;) {
    if ((kindAt(text, at) & IN_WORDS) === 0) {
      at++
      continue
    }
    const from = at
    let hash = FNV1A_START
    for (let end = at + 1; at < end; end = at + jointAt(text, at)) {
      for (; at < end; at++) hash = fnv1aStep(hash, text.charCodeAt(at))
      for (; at < length; at++) {
        const unit = text.charCodeAt(at)
        if (((kinds[unit] || classify(unit)) & IN_WORDS) === 0) break
        hash = fnv1aStep(hash, unit)
      }
    }
    for (const end = at + endingAt(text, at); at < end; at++) {
      hash = fnv1aStep(hash, text.charCodeAt(at))
    }
    take(from, at, hash)
  }
}

function findByPattern(text: string, take: (from: number, to: number, hash: number) => void): void {
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) take(index, index + chunk.length, fnv1a(chunk))
}

/** Length of the mark that joins two words here, or 0. */
function jointAt(text: string, at: number): number {
  if ((kindAt(text, at) & JOINS) === 0) return 0
  if ((kindAt(text, at + 1) & IN_WORDS) !== 0) return 1
  const isPair = text.startsWith("::", at) || text.startsWith("->", at)
  return isPair && (kindAt(text, at + 2) & IN_WORDS) !== 0 ? 2 : 0
}

/** Length of the signs that end the name here, as in `C++` and `C#`, or 0. */
function endingAt(text: string, at: number): number {
  if (text.startsWith("++", at)) return 2
  return text.startsWith("#", at) && (kindAt(text, at + 1) & LETTER_OR_DIGIT) === 0 ? 1 : 0
}
