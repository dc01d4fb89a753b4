import { type AnalysedQuery, analyseQuery } from "../text/analysis/analyse.ts"
import { stemmerOf } from "../text/analysis/stem.ts"
import { isFormOf } from "../text/spelling/corrections.ts"
import type { WeightedWord } from "./ranking/word-evidence.ts"
import type { QueryText } from "../text/query-text.ts"

/**
 * The terms of a question in an unspecified language, for an index with pages in several languages.
 *
 * The question is assumed to be in the language with the most function words in it; if several languages tie, the terms
 * of all of them are used: a stem from another language is rarely a word in this one.
 *
 * @param languages languages of the pages that might answer the question; an empty list counts as English.
 */
export function analyseInLanguages(question: QueryText, languages: readonly string[]): AnalysedQuery {
  const analysed = (languages.length > 0 ? languages : [null]).map((one) => analyseQuery(question, one))
  const fewest = Math.min(...analysed.map((one) => one.terms.length))
  const likely = analysed.filter((one) => one.terms.length === fewest)
  const written = new Map(likely.flatMap((one) => [...one.written]))
  const terms = [...new Set(likely.flatMap((one) => one.terms))]
  const times = new Map(likely.flatMap((one) => [...one.times]))
  return { terms, forms: formsOf(likely.map((one) => one.terms)), times, written, quoted: question.phrases }
}

/** The stems of a word in several languages count as one word, so the evidence doesn't depend on a language's stemmer. */
function formsOf(analysed: readonly (readonly string[])[]): string[][] {
  const [first = [], ...others] = analysed
  const forms = first.map((term) => [term])
  const known = new Set(first)
  for (const terms of others) {
    for (const [place, term] of terms.entries()) {
      if (known.has(term)) continue
      known.add(term)
      const word = forms[place]
      // Languages that drop equally many words don't necessarily drop the same words.
      if (word && isFormOf(term, word[0]!)) word.push(term)
      else forms.push([term])
    }
  }
  return forms
}

/**
 * The question's words, stemmed in additional languages: a page in such a language contains its own stem of the word.
 * These stems are searched for and weighed only on pages in that language; a word that is only on those few pages can
 * still be a misspelling.
 */
export function withStemsOf(
  { forms, written }: Pick<AnalysedQuery, "forms" | "written">,
  language: string,
): string[][] {
  const stem = stemmerOf(language)
  return forms.map((terms) => {
    const words = terms.flatMap((term) => written.get(term)?.word ?? [])
    return [...new Set([...terms, ...words.map(stem)])]
  })
}

/** The languages whose stems differ from those of the `spoken` languages: a language without its own stemmer is stemmed like English. */
export function cutOtherwise(languages: readonly string[], spoken: readonly string[]): string[] {
  const stemmers = new Set(spoken.map(stemmerOf))
  return languages.filter((one) => !stemmers.has(stemmerOf(one)))
}

/** A stem may be on at most this many times the number of pages in its language. */
const NOT_RARE = 1.6

/**
 * The stems that find pages in additional languages: those that are on hardly more pages than the language has. A stem
 * on more pages is mostly a word in other languages, and would match their pages. With all of them, nDCG@10 of long
 * pages by words alone was 0.788; with none or with these it is 0.804.
 *
 * @param further forms of each word, by language
 * @param shares share of the pages in each language
 */
export function rareStems(
  further: ReadonlyMap<string, readonly (readonly string[])[]>,
  shares: ReadonlyMap<string, number>,
  idf: (term: string) => number,
): string[] {
  return [...further].flatMap(([language, forms]) => {
    const least = -Math.log(NOT_RARE * (shares.get(language) ?? 1))
    return forms.flat().filter((stem) => idf(stem) >= least)
  })
}

/**
 * A repeated word of a question weighs more, with each repetition adding less (`k3` of Okapi at TREC-3, Robertson et
 * al. 1995). nDCG@10 by words alone, on the even questions of CISI, Cranfield, apidocs, codebase and passages:
 *
 * each word once    0.360  0.379  0.854  0.755  0.718
 * this              0.408  0.377  0.862  0.759  0.720
 * as often as said  0.408  0.376  0.863  0.759  0.718
 */
const K3 = 7
const weightOf = (times: number): number => ((K3 + 1) * times) / (K3 + times)

/** The words of a question, each with its terms. */
export function wordsWith(
  { forms, times }: Pick<AnalysedQuery, "forms" | "times">,
  corrections: ReadonlyMap<string, readonly string[]>,
  idf: (term: string) => number,
): WeightedWord[] {
  // A word with several terms is weighted like the most frequent of them.
  const least = (terms: readonly string[]) => Math.min(...terms.map(idf))
  return forms.map((terms) => {
    const said = weightOf(Math.max(1, ...terms.map((term) => times.get(term) ?? 1)))
    const meant = terms.flatMap((term) => corrections.get(term) ?? [])
    const asked = said * least(terms)
    if (meant.length === 0) return { terms, idf: asked, asked }
    const asWritten = terms.filter((term) => !corrections.has(term))
    const corrected = said * least(meant)
    // A misspelling that is on a page counts as much as the usual spelling.
    const isHeld = terms.some((term) => meant.includes(term))
    return { terms: [...meant, ...asWritten], idf: corrected, asked: isHeld ? corrected : asked }
  })
}
