import type { Query } from "../../engine.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import { type Exclusions, exclusionsOf, inPlace } from "../exclusions.ts"
import { pagesWithPhrases } from "../phrases.ts"
import { conditionsNamed } from "./named.ts"
import type { Understood } from "./understand.ts"

/** Maximum number of distinct phrases to look for; each is looked for in every page that is read. */
const MAX_PHRASES = 32

/** Which pages may be found. */
export interface Scope {
  readonly conditions: readonly Condition[]
  readonly exclusions: Exclusions | null
  /** Ids of pages that contain the phrases quoted in the question: they come first. */
  readonly holders: ReadonlySet<string>
}

/** The pages that the filter, the sites and the phrases admit; null if a phrase in the filter is on no page. */
export async function narrow(
  index: SearchIndex,
  { filter, limit }: Pick<Query, "filter" | "limit">,
  { question, languages, analysed }: Pick<Understood, "question" | "languages" | "analysed">,
  signal: AbortSignal | undefined,
): Promise<Scope | null> {
  const named = conditionsNamed(filter, question)
  const conditions = [...named, ...(await inPlace(index, filter, languages, named))]
  const holding = async (phrases: readonly string[], among: readonly Condition[]) =>
    phrases.length === 0
      ? null
      : await pagesWithPhrases(index, { phrases, limit, conditions: among, languages, signal })
  const demanded = phrasesIn(filter?.phrases ?? [])
  const demandedIn = await holding(demanded, conditions)
  if (demandedIn?.length === 0) return null
  const narrowed = demandedIn === null ? conditions : [{ ids: demandedIn }]
  const quoted = phrasesIn(analysed.quoted).filter((phrase) => !demanded.includes(phrase))
  return {
    conditions: narrowed,
    exclusions: exclusionsOf(question, languages, filter),
    holders: new Set(await holding(quoted, narrowed)),
  }
}

/** The distinct phrases to look for. */
const phrasesIn = (given: readonly string[]): string[] =>
  [...new Set(given.filter((phrase) => phrase.trim() !== ""))].slice(0, MAX_PHRASES)
