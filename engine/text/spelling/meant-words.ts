import { nearNames } from "#base/text/near-names.ts"
import { wholeTerm } from "../analysis/analyse.ts"

/** A misspelt word and its possible corrections, as terms. */
export interface MisspeltWord {
  /** The misspelt word as written, in lower case. */
  readonly word: string
  readonly terms: readonly string[]
}

/**
 * The corrections of misspelt words, as spelt on the pages: among the words with a matching term, the one with the most
 * similar spelling. They are taken from the shown text, so that users never learn words of pages that they may not see;
 * a word that isn't in it has no entry.
 *
 * @param texts shown texts of pages, each with its language (ISO 639-1; null when unknown)
 */
export function meantWords(
  misspelt: readonly MisspeltWord[],
  texts: readonly { readonly text: string; readonly language: string | null }[],
): ReadonlyMap<string, string> {
  if (misspelt.length === 0) return new Map()
  const byTerm = new Map<string, Set<string>>()
  for (const { text, language } of texts) {
    for (const word of new Set(
      text
        .normalize("NFKC")
        .toLowerCase()
        .match(/[\p{L}\p{M}]+/gu),
    )) {
      const term = wholeTerm(word, language)
      if (term === null) continue
      const words = byTerm.get(term)
      if (words) words.add(word)
      else byTerm.set(term, new Set([word]))
    }
  }
  return new Map(
    misspelt.flatMap(({ word, terms }) => {
      const meant = terms.flatMap((term) => [...(byTerm.get(term) ?? [])])
      const [nearest] = nearNames(word, meant)
      return nearest === undefined || nearest === word ? [] : [[word, nearest] as const]
    }),
  )
}

/** A question with its misspelt words replaced by the intended ones. */
export const withMeantWords = (question: string, meant: ReadonlyMap<string, string>): string =>
  question.normalize("NFKC").replaceAll(/[\p{L}\p{M}]+/gu, (word) => meant.get(word.toLowerCase()) ?? word)
