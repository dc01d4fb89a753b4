import { fnv1a } from "#base/text/hash.ts"
/** Number of consecutive words that form a shingle. */
const SHINGLE = 3
/** Maximum number of words examined; later ones rarely change the result. */
const MOST_WORDS = 5000

/** The shingles of a text (Broder 1997): its words in order, without punctuation. */
export type Shingles = ReadonlySet<number>

/** `leaveOut`: words to ignore, in lower case. */
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
 * The resemblance of two texts, from 0 (nothing in common) to 1 (the same): shared shingles divided by all shingles.
 * Nothing resembles an empty text.
 */
export function resemblance(a: Shingles, b: Shingles): number {
  const shared = a.intersection(b).size
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

export function wordsIn(text: string): number {
  return text.match(WORD)?.length ?? 0
}

/** In scripts without spaces between words, each character counts as a word. */
const WORD = wordPattern("Han", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr")

function wordPattern(...scripts: readonly string[]): RegExp {
  const unspaced = `[${scripts.map((script) => `\\p{scx=${script}}`).join("")}]`
  const signs = "[\\p{L}\\p{M}\\p{N}]"
  return new RegExp(`[${signs}&&${unspaced}]|[${signs}--${unspaced}]+`, "gv")
}
