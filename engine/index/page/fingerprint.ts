import { createHash } from "node:crypto"
import { fnv1a, murmurMix } from "#base/text/hash.ts"

/** What tells whether two pages say the same. */
export interface Fingerprint {
  /** Hash of the text's terms; null for a page without any. */
  readonly exact: string | null
  /** 64 bits in hexadecimal, nearly equal for nearly equal texts; null for texts too short to judge so. */
  readonly similar: string | null
}

/** Terms in a row that are hashed as one, so that order counts. */
const SHINGLE = 3
/**
 * In a shorter text a single word may be all that matters: passages of reports and source files under one licence
 * differ by little else, and are not the same.
 */
const FEWEST_TERMS = 150
/** What a page repeats after so many terms, its beginning has told: a bound for pages of megabytes. */
const MOST_TERMS = 20_000
/**
 * Of 64 bits: a text that differs by one word in three hundred differs by two on average, by one in fifty by
 * six. Manku, Jain and Das Sarma (2007) use 3 too.
 */
const MOST_BITS = 3

/**
 * The fingerprint of a text: a hash for equality, and a simhash (Charikar 2002) over shingles of its terms.
 *
 * @param terms of the text without its title, in their order
 */
export function fingerprintOf(terms: readonly string[]): Fingerprint {
  if (terms.length === 0) return { exact: null, similar: null }
  const exact = createHash("sha256").update(terms.join(" ")).digest("base64url").slice(0, 16)
  return { exact, similar: terms.length < FEWEST_TERMS ? null : simhash(terms.slice(0, MOST_TERMS)) }
}

/**
 * Whether two pages hold the same text: an equal one, or a long one that differs by a word or two under a title that
 * is in the other's too (a print version). Of short texts the titles must be equal besides: pages under
 * construction are not one page. Nothing without a title is the same as anything: it is a fragment, and where
 * fragments repeat each other (961 pairs in one judged collection) each of them is wanted.
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

/** 64 bits in hexadecimal (Charikar 2002), over shingles of three terms: the more two texts share, the fewer bits differ. */
export function simhash(terms: readonly string[]): string {
  const votes = new Int32Array(64)
  const hashes = terms.map((term) => fnv1a(term))
  for (let at = SHINGLE - 1; at < hashes.length; at++) {
    let shingle = 0
    for (let i = at - SHINGLE + 1; i <= at; i++) shingle = Math.imul(shingle ^ hashes[i]!, 0x01000193)
    vote(votes, 0, murmurMix(shingle))
    vote(votes, 32, murmurMix(shingle ^ 0x5bd1e995))
  }
  return bits(votes.subarray(0, 32)) + bits(votes.subarray(32))
}

function vote(votes: Int32Array, from: number, hash: number): void {
  for (let bit = 0; bit < 32; bit++) votes[from + bit]! += ((hash >>> bit) & 1) * 2 - 1
}

function bits(votes: Int32Array): string {
  let value = 0
  for (const [bit, sum] of votes.entries()) if (sum > 0) value |= 1 << bit
  return (value >>> 0).toString(16).padStart(8, "0")
}

/** How many bits of two {@link simhash}es differ: 0 to 64. */
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
