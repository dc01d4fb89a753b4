import { type AnalysedQuery, analyse } from "../../text/analysis/analyse.ts"
import type { Query } from "../../engine.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import { idfAmong } from "../ranking/word-statistics.ts"
import { type Variant, variantsOf } from "../rules/synonyms.ts"
import { correctionsSeen } from "./seen-words.ts"
import { correctionsAmong } from "../../text/spelling/corrections.ts"
import type { QueryText } from "../../text/query-text.ts"
import type { WordsAsked } from "../page-words.ts"
import { analyseInLanguages, cutOtherwise, rareStems, withStemsOf, wordsWith } from "../query-terms.ts"
import { languagesAsked } from "../reader-language.ts"
import { bestFirst } from "../likeliest.ts"
import { conditionsNamed } from "./named.ts"

/** A question as one index reads it. */
export interface Understood {
  readonly question: QueryText
  /** Languages of the pages that may answer the question, ISO 639-1. */
  readonly languages: readonly string[]
  /** Languages that the question's words are read in. */
  readonly spoken: readonly string[]
  readonly analysed: AnalysedQuery
  /** The terms that a misspelt term may mean. */
  readonly corrections: ReadonlyMap<string, readonly string[]>
  /** The question reworded with the operator's synonyms. */
  readonly variants: readonly Variant[]
  /** The question's words with their weights, for reading pages. */
  readonly wordsAsked: WordsAsked
  /** Original terms, corrected terms, and terms of synonyms. */
  readonly terms: readonly string[]
  /** Terms that the lexical arm looks for: all of `terms`, and rare stems in further languages. */
  readonly lookedFor: readonly string[]
  /** The rarity of each term that the ranking may weigh, in this index alone. */
  readonly idfs: ReadonlyMap<string, number>
  /** How rare a term is among the pages of all indexes that are searched. */
  readonly idf: (term: string) => number
}

/**
 * Languages, terms, likely spellings and rarity: all that an index knows about a question before it looks for pages.
 *
 * @param how.isForeign as in {@link WordsAsked}
 * @param how.pages how many pages the lexical arm will be asked for
 */
export async function understand(
  index: SearchIndex,
  question: QueryText,
  { filter, rules = [], statistics }: Pick<Query, "filter" | "rules" | "statistics">,
  {
    isReadAgain,
    isForeign,
    pages,
  }: { readonly isReadAgain: boolean; readonly isForeign: boolean; readonly pages: number },
): Promise<Understood> {
  const named = filter?.languages ?? []
  const languages = named.length > 0 ? named : [...index.languages.keys()]
  const spoken = named.length > 0 ? languages : languagesAsked(question.text, index.languages)
  const analysed = analyseInLanguages(question, spoken)
  const further = new Map(cutOtherwise(languages, spoken).map((one) => [one, withStemsOf(analysed, one)]))
  const variants = variantsOf(question, rules, spoken)
  const otherWords = variants.map((one) => analyseInLanguages(one.question, spoken))
  const meant = otherWords.flatMap((one) => one.terms)
  const stems = [...further.values()].flat(2)
  // Searches with the question as written: unless words turn out to be misspelt, the main search makes the same
  // request.
  const bestPages = async () => {
    const rarity = await index.idf(stems)
    const rare = rareStems(
      further,
      index.languages,
      (term) => idfAmong(statistics, term) ?? rarity.get(term) ?? 0,
    )
    const lookedFor = [...new Set([...analysed.terms, ...meant, ...rare])]
    return bestFirst(await index.lexical(lookedFor, pages, conditionsNamed(filter, question)))
  }
  const own = await correctionsSeen(index, analysed, filter, bestPages)
  const corrections =
    statistics === undefined
      ? own
      : await correctionsAmong(own, analysed, (term) => statistics.words.get(term) ?? 0)
  const terms = [...new Set([...askedTerms({ analysed, corrections }), ...meant])]
  const weighed = isReadAgain ? analyse(question.text, spoken[0] ?? null) : []
  const idfs = await index.idf([...new Set([...terms, ...stems, ...weighed])])
  const idf = (term: string) => idfAmong(statistics, term) ?? idfs.get(term) ?? 0
  const weigh = (asked: Pick<AnalysedQuery, "forms" | "times">) => wordsWith(asked, corrections, idf)
  return {
    question,
    languages,
    spoken,
    analysed,
    corrections,
    variants,
    wordsAsked: {
      isForeign,
      words: weigh(analysed),
      further: new Map(
        Array.from(further, ([language, forms]) => [language, weigh({ forms, times: analysed.times })]),
      ),
      variants: otherWords.map(weigh),
    },
    terms,
    lookedFor: [...new Set([...terms, ...rareStems(further, index.languages, idf)])],
    idfs,
    idf,
  }
}

/** The question's original terms, and the possible corrections of misspelt ones. */
export const askedTerms = ({ analysed, corrections }: Pick<Understood, "analysed" | "corrections">) => [
  ...analysed.terms,
  ...analysed.terms.flatMap((term) => corrections.get(term) ?? []),
]
