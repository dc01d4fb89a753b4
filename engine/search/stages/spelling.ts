import type { Hit } from "../../engine.ts"
import { meantWords, type MisspeltWord } from "../../text/spelling/meant-words.ts"
import type { Understood } from "./understand.ts"

/** The intended words for misspelt ones, as spelt in the hits' texts; null if no word was misspelt. */
export function takenFor(
  { analysed, corrections }: Pick<Understood, "analysed" | "corrections">,
  hits: readonly Hit[],
): ReadonlyMap<string, string> | null {
  if (corrections.size === 0) return null
  const taken = meantWords(misspeltOf(analysed, corrections), shownTexts(hits))
  return taken.size > 0 ? taken : null
}

/** The misspelt words, each with all its corrections: a word has different terms in different languages. */
function misspeltOf(
  { written }: Understood["analysed"],
  corrections: ReadonlyMap<string, readonly string[]>,
): MisspeltWord[] {
  const byWord = new Map<string, string[]>()
  for (const [term, meant] of corrections) {
    const word = written.get(term)?.word
    if (word !== undefined) byWord.set(word, [...(byWord.get(word) ?? []), ...meant])
  }
  return Array.from(byWord, ([word, terms]) => ({ word, terms }))
}

/** Number of hits whose texts are searched for the intended words: as many as the first screen shows. */
const MOST_SHOWN = 10

const shownTexts = (hits: readonly Hit[]) =>
  hits.slice(0, MOST_SHOWN).map(({ title, passages, language }) => ({
    text: [title, ...passages.flatMap(({ text, headings }) => [...headings, text])].join("\n"),
    language,
  }))
