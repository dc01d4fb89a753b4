import { K1 } from "../../search/ranking/word-evidence.ts"
import { encodeTerm } from "./term-code.ts"

/**
 * Number of attributes over which the terms of a page are distributed, by how much the page says about them. The server
 * can order the pages for a term by attribute, but no more finely; 16 and 32 cost the same on disk, but a question of
 * six frequent terms takes the server 45 ms with 16 and 200 ms with 32, since it tries all ways to distribute the terms
 * among them.
 */
const LEVELS = 16
/** Maximum number of words in an attribute: the server ignores those after the first 65,536. */
const WORDS_PER_LEVEL = 65_000
/** The weight of a section's length, and the number of terms in a full section: as in `word-evidence.ts`, including terms that all sections share. */
const B = 0.5
const FULL_SECTION = 550

/** The searchable attributes, those with the highest impact first. */
export const LEVEL_NAMES = Array.from({ length: LEVELS }, (_, level) => `t${level}`)

/**
 * The distinct terms of a page, encoded, by level: impact-ordered postings (Anh, Moffat 2006). The impact is the BM25
 * weight of the term's frequency in its best section, 0..1, and level 0 has the highest. So a long page ranks for a
 * term as its best section would.
 *
 * @param sections terms separated by single spaces
 */
export function toLevels(sections: readonly string[]): Record<string, string> {
  const best = new Map<string, number>()
  for (const section of sections) {
    const terms = section.split(" ").filter((term) => term !== "")
    const frequencies = new Map<string, number>()
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
    const norm = K1 * (1 - B + (B * terms.length) / FULL_SECTION)
    for (const [term, frequency] of frequencies) {
      best.set(term, Math.min(best.get(term) ?? LEVELS, levelOf(frequency, norm)))
    }
  }
  const levels: string[][] = LEVEL_NAMES.map(() => [])
  for (let [term, level] of best) {
    while (level + 1 < LEVELS && levels[level]!.length >= WORDS_PER_LEVEL) level++
    levels[level]!.push(encodeTerm(term))
  }
  return Object.fromEntries(
    levels.flatMap((words, level) => (words.length > 0 ? [[LEVEL_NAMES[level]!, words.join(" ")]] : [])),
  )
}

/** @param score the server's score for a single-term question, which depends only on the position of the term's attribute. */
export const levelOfScore = (score: number): number =>
  Math.min(LEVELS - 1, Math.max(0, Math.round((1 - score) * LEVELS)))

/** The BM25 weight, without idf, of a term of a given level in a page's best section: 0..k1 + 1. */
export const weightAt = (level: number): number => (1 - (level + 0.5) / LEVELS) * (K1 + 1)

const levelOf = (frequency: number, norm: number) =>
  Math.min(LEVELS - 1, Math.floor((1 - frequency / (frequency + norm)) * LEVELS))
