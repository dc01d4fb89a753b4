import { fnv1a } from "#base/text/hash.ts"
/** Words in a row that are taken as one. */
const SHINGLE = 3
/** Words examined; later ones add nothing that the beginning has not shown. */
const MOST_WORDS = 5000

/** The shingles of a text (Broder 1997): its words in their order, without punctuation. */
export type Shingles = ReadonlySet<number>

/** `leaveOut`: words that do not count, in lower case. */
export function shinglesOf(text: string, leaveOut: ReadonlySet<string> = new Set()): Shingles {
  const words: string[] = []
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (words.length === MOST_WORDS) break
    if (!leaveOut.has(word)) words.push(word)
  }
  const shingles = new Set<number>()
  if (words.length > 0 && words.length < SHINGLE) shingles.add(fnv1a(words.join(" ")))
  for (let at = SHINGLE; at <= words.length; at++)
    shingles.add(fnv1a(words.slice(at - SHINGLE, at).join(" ")))
  return shingles
}

/**
 * The resemblance of two texts, from 0 (nothing in common) to 1 (the same): shared shingles among all. Nothing
 * resembles no text.
 */
export function resemblance(a: Shingles, b: Shingles): number {
  const shared = a.intersection(b).size
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

export function wordsIn(text: string): number {
  return text.match(WORD)?.length ?? 0
}

/** Scripts that put no spaces between words are taken by the sign. */
const WORD = wordPattern("Han", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr")

function wordPattern(...scripts: readonly string[]): RegExp {
  const unspaced = `[${scripts.map((script) => `\\p{scx=${script}}`).join("")}]`
  const signs = "[\\p{L}\\p{M}\\p{N}]"
  return new RegExp(`[${signs}&&${unspaced}]|[${signs}--${unspaced}]+`, "gv")
}
