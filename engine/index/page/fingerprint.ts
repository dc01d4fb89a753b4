import { hash } from "node:crypto"
import { murmurMix } from "#base/text/hash.ts"

/** Used to tell whether two pages have the same content. */
export interface Fingerprint {
  /** Hash of the text's terms; `null` for a page without terms. */
  readonly exact: string | null
  /** 64 bits in hexadecimal, nearly equal for nearly equal texts; `null` for texts too short for this comparison. */
  readonly similar: string | null
}

/** Number of consecutive terms that are hashed together, so that their order matters. */
const SHINGLE = 3
/**
 * Minimum number of terms for a comparison by similarity. In a shorter text, a single word can be all that matters:
 * passages of reports, and source files under one licence, differ by little else but aren't the same.
 */
const FEWEST_TERMS = 150
/** Maximum number of terms hashed, for pages of several megabytes: more terms add nothing new. */
const MOST_TERMS = 20_000
/**
 * Maximum number of differing bits out of 64: a text that differs by one word in three hundred differs by two bits on
 * average, and one that differs by one word in fifty, by six. Manku, Jain and Das Sarma (2007) use 3 too.
 */
const MOST_BITS = 3

/**
 * The fingerprint of a text: a hash for equality, and a simhash (Charikar 2002) over shingles of its terms.
 *
 * @param text terms of the text without its title, in order, separated by single spaces
 * @param hashes of each of these terms, by FNV-1a
 */
export function fingerprintOf(text: string, hashes: readonly number[]): Fingerprint {
  if (hashes.length === 0) return { exact: null, similar: null }
  const exact = hash("sha256", text, "base64url").slice(0, 16)
  return { exact, similar: hashes.length < FEWEST_TERMS ? null : simhash(hashes.slice(0, MOST_TERMS)) }
}

/**
 * Whether two pages have the same text: an identical text, or a long one that differs by only a word or two if one
 * page's title includes the other's (a print version). Short texts need equal titles as well: two pages under
 * construction aren't the same page. Pages without a title never count as the same: they are fragments, and where
 * fragments repeat each other (961 pairs in one judged collection), each of them is wanted.
 */
export function sayTheSame(a: Fingerprinted, b: Fingerprinted): boolean {
  const [one, other] = [a.fingerprint, b.fingerprint]
  if (one.exact === null || other.exact === null || a.title === "" || b.title === "") return false
  if (one.exact === other.exact) return one.similar !== null || plain(a.title) === plain(b.title)
  if (one.similar === null || other.similar === null) return false
  return differingBits(one.similar, other.similar) <= MOST_BITS && titlesAgree(plain(a.title), plain(b.title))
}

interface Fingerprinted {
  readonly title: string
  readonly fingerprint: Fingerprint
}

const plain = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()

const titlesAgree = (a: string, b: string) => a !== "" && b !== "" && (a.includes(b) || b.includes(a))

/** Number of shingles counted in bytes before the bytes are added to the sums: the highest count that fits into a byte. */
const COUNTED_AT_A_TIME = 255

/**
 * 64 bits in hexadecimal (Charikar 2002), over shingles of three terms: the more two texts share, the fewer bits
 * differ. A bit is set if more than half of the shingles have it.
 *
 * @param hashes of the terms, by FNV-1a
 */
export function simhash(hashes: readonly number[]): string {
  const shingles = Math.max(0, hashes.length - SHINGLE + 1)
  const [low, high] = [new OnesByBit(), new OnesByBit()]
  for (let at = 0; at < shingles; at++) {
    let shingle = 0
    for (let i = at; i < at + SHINGLE; i++) shingle = Math.imul(shingle ^ hashes[i]!, 0x01000193)
    low.add(murmurMix(shingle))
    high.add(murmurMix(shingle ^ 0x5bd1e995))
  }
  return [low, high].map((ones) => hexadecimal(ones.inMost(shingles))).join("")
}

/** Counts how many numbers have each of 32 bits set. The counts are kept in eight numbers, four bytes in each. */
class OnesByBit {
  readonly #bytes = new Int32Array(8)
  readonly #sums = new Uint32Array(32)
  #counted = 0

  add(value: number): void {
    const bytes = this.#bytes
    for (let bit = 0; bit < 8; bit++) bytes[bit] = (bytes[bit]! + ((value >>> bit) & 0x01010101)) | 0
    if (++this.#counted === COUNTED_AT_A_TIME) this.#sumUp()
  }

  #sumUp(): void {
    for (let bit = 0; bit < 32; bit++) this.#sums[bit]! += (this.#bytes[bit & 7]! >>> (bit & 24)) & 0xff
    this.#bytes.fill(0)
    this.#counted = 0
  }

  /** @returns the bits that are set in more than half of the `numbers` added */
  inMost(numbers: number): number {
    this.#sumUp()
    let value = 0
    for (let bit = 0; bit < 32; bit++) if (2 * this.#sums[bit]! > numbers) value |= 1 << bit
    return value
  }
}

const hexadecimal = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

/** Number of bits in which two {@link simhash}es differ: 0 to 64. */
export function differingBits(a: string, b: string): number {
  return (
    ones(parseInt(a.slice(0, 8), 16) ^ parseInt(b.slice(0, 8), 16)) +
    ones(parseInt(a.slice(8), 16) ^ parseInt(b.slice(8), 16))
  )
}

function ones(value: number): number {
  let count = 0
  for (let rest = value; rest !== 0; rest &= rest - 1) count++
  return count
}
