import type { ModelTraits } from "../../embedder.ts"
import type { Hit, LanguageNotice, Query } from "../../engine.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import { MULTILINGUAL_SCRIPTS, type ShippedModel, shippedModelOf } from "../../shipped-models.ts"
import { isWrittenIn, scriptOf } from "../../text/scripts.ts"
import { planOf } from "../ranking/depths.ts"
import { clearlyIn, REAL_SHARE } from "../reader-language.ts"

/** Maximum number of pages in the languages that counts as few among the pages that a search can find. With 30, at most 1,501 ids are listed. */
const MOST_FEW = 30

/** The model of an index. */
export interface IndexModel {
  /** Id of the embedder. */
  readonly id: string
  readonly traits: Pick<ModelTraits, "scripts">
}

/**
 * How the language of a question relates to the results; null if the language is unclear, if the caller names
 * languages, or if there is nothing to report. Only pages that meet the conditions are counted.
 */
export async function languageNotice(
  index: Pick<SearchIndex, "languages" | "holding">,
  {
    query,
    question,
    languages,
    hits,
    conditions,
    model,
  }: {
    readonly query: Query
    readonly question: string
    /** The languages that the question is clearly in. */
    readonly languages: readonly string[]
    readonly hits: readonly Pick<Hit, "language">[]
    readonly conditions: readonly Condition[]
    readonly model: IndexModel
  },
): Promise<LanguageNotice | null> {
  if (query.filter?.languages?.length || query.preference?.languages?.length) return null
  if (languages.length === 0) return null
  const isScarce = isForeign(hits, languages) && (await areFew(index, languages, conditions))
  const better =
    planOf(query).arms === "lexical" ? null : betterModel(model, question, { languages, isScarce })
  return noticeOf({ languages, isScarce, ...(better && { betterModel: better }) })
}

/** Null when there is nothing to report. */
export const noticeOf = (notice: LanguageNotice): LanguageNotice | null =>
  notice.isScarce || notice.betterModel !== undefined ? notice : null

/** A notice about one index, shown with the hits of several: another index can have a page in the language. */
export const amongOthers = (notice: LanguageNotice, hits: readonly Pick<Hit, "language">[]) =>
  noticeOf({ ...notice, isScarce: notice.isScarce && isForeign(hits, notice.languages) })

/** Whether the index's embedding model can't read a question that the multilingual one can. */
export const isUnreadBy = (model: IndexModel, question: string): boolean =>
  betterModel(model, question, { languages: clearlyIn(question), isScarce: false }) !== null

/** The shipped model that reads both the question and the pages, if the index's own model doesn't. */
function betterModel(
  { id, traits }: IndexModel,
  question: string,
  { languages, isScarce }: Pick<LanguageNotice, "languages" | "isScarce">,
): ShippedModel | null {
  if (languages.length === 0) return null
  const isRead =
    shippedModelOf(id) === "english"
      ? languages.includes("en") && !isScarce
      : isWrittenIn(traits.scripts, question)
  const isReadable = languages.some((one) => MULTILINGUAL_SCRIPTS.includes(scriptOf(one)))
  return isRead || !isReadable ? null : "multilingual"
}

/** Whether no hit is in any of the languages. Unknown when the languages of most hits are unknown. */
function isForeign(hits: readonly Pick<Hit, "language">[], languages: readonly string[]): boolean {
  const known = hits.flatMap(({ language }) => language ?? [])
  return 2 * known.length >= hits.length && !known.some((one) => languages.includes(one))
}

/** Whether few pages are in any of the languages, among the pages that meet the conditions, or in the whole index if there are no conditions. */
async function areFew(
  index: Pick<SearchIndex, "languages" | "holding">,
  languages: readonly string[],
  conditions: readonly Condition[],
): Promise<boolean> {
  const share = languages.reduce((sum, one) => sum + (index.languages.get(one) ?? 0), 0)
  if (conditions.every(isOpen)) return share < REAL_SHARE && index.languages.size > 0
  const own =
    share === 0 ? 0 : (await index.holding([], "any", MOST_FEW + 1, [...conditions, { languages }])).length
  if (own > MOST_FEW) return false
  const enough = Math.floor(own / REAL_SHARE) + 1
  return (await index.holding([], "any", enough, conditions)).length === enough
}

/** Whether a condition admits every page. */
const isOpen = (condition: Condition): boolean =>
  Object.entries(condition).every(([, given]) =>
    Array.isArray(given) ? given.length === 0 && given !== condition.ids : !given,
  )
