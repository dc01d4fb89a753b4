import { B, K1 } from "../../search/bm25.ts"
import { encodeTerm } from "./term-code.ts"

/**
 * Attributes that the terms of a page are spread over, by what they say of it. The server can order the pages of a
 * term by attribute, and by nothing finer; 16 and 32 cost the same on disk, but a question of six frequent terms takes the
 * server 45 ms with 16 and 200 ms with 32, since it looks at all ways to spread the terms over them.
 */
const LEVELS = 16
/** The server forgets the words of an attribute behind 65,536. */
const WORDS_PER_LEVEL = 65_000

/** The searchable attributes, strongest first. */
export const LEVEL_NAMES = Array.from({ length: LEVELS }, (_, level) => `t${level}`)

/** What the saturation of a term depends on besides its frequency. */
export interface PageLength {
  /** Terms of the page. */
  readonly length: number
  /** Mean length of the pages when it was indexed. */
  readonly pivot: number
}

/**
 * The different terms of a page, encoded, by level: impact-ordered postings (Anh, Moffat 2006). The impact is what BM25
 * makes of a term's frequency, 0..1, and level 0 has the highest.
 */
export function toLevels(terms: readonly string[], pivot: number): Record<string, string> {
  const frequencies = new Map<string, number>()
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  const levels: string[][] = LEVEL_NAMES.map(() => [])
  const norm = normOf(terms.length, pivot)
  for (const [term, frequency] of frequencies) {
    let level = levelOf(frequency, norm)
    while (level + 1 < LEVELS && levels[level]!.length >= WORDS_PER_LEVEL) level++
    levels[level]!.push(encodeTerm(term))
  }
  return Object.fromEntries(
    levels.flatMap((words, level) => (words.length > 0 ? [[LEVEL_NAMES[level]!, words.join(" ")]] : [])),
  )
}

/** @param score the server's, of a question of one term: the place of its attribute among all. */
export const levelOfScore = (score: number): number =>
  Math.min(LEVELS - 1, Math.max(0, Math.round((1 - score) * LEVELS)))

/**
 * What a term says of a page, as BM25 has it without its idf: 0..k1 + 1. How often the page holds the term is told from
 * its level and the page's length, so that the mean length may have changed since.
 */
export function weightAt(level: number, { length, pivot }: PageLength, meanLength: number): number {
  const norm = normOf(length, pivot)
  const impact = 1 - (level + 0.5) / LEVELS
  const likely = (impact * norm) / (1 - impact)
  const whole = Math.max(1, Math.round(likely))
  const frequency = levelOf(whole, norm) === level ? whole : likely
  return (frequency * (K1 + 1)) / (frequency + normOf(length, meanLength))
}

const normOf = (length: number, mean: number) => K1 * (1 - B + (B * length) / Math.max(1, mean))

const levelOf = (frequency: number, norm: number) =>
  Math.min(LEVELS - 1, Math.floor((1 - frequency / (frequency + norm)) * LEVELS))
