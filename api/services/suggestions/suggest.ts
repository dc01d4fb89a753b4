import { Refusal } from "#base/errors.ts"
import { givesModelOrder } from "#engine/text/model-orders.ts"
import type { Suggestion } from "#engine"

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { limitsText } from "../../identity/accounts/reach/scoped-pages.ts"
import type { QueryLog } from "../queries/query-log.ts"

/** Maximum number of characters in the typed text; all suggested titles and headings are shorter. */
export const MAX_TYPED_CHARS = 400
export const DEFAULT_SUGGESTIONS = 8
export const MAX_SUGGESTIONS = 20

/**
 * Titles and headings for the text typed so far.
 * @param asked `sources` limits suggestions to pages of these sources
 * @throws Refusal when the key may not search
 */
export async function suggestionsFor(
  { key, reach }: { readonly key: ApiKey; readonly reach: Pick<Reach, "suggest"> },
  asked: { readonly text: string; readonly limit: number; readonly sources?: readonly string[] | undefined },
): Promise<readonly Suggestion[]> {
  // Suggestions come only from pages that a search would find.
  if (key.scope.endpoints?.includes("search") === false) {
    throw new Refusal("denied", "Access denied. This key may not use /search.")
  }
  const { sources, ...query } = asked
  // A collection without sources contains no page, but the engine would treat an empty list as no filter.
  if (sources?.length === 0) return []
  const found = await reach.suggest({ ...query, ...(sources && { filter: { sources } }) })
  // A suggestion has no room for a warning label, and an agent might read it.
  return found.filter(({ text }) => !givesModelOrder(text))
}

/** Maximum number of suggested questions that others asked. */
const MOST_QUESTIONS = 3

/** Questions that several keys with the same reach have asked, if the operator has questions stored. */
export async function questionsLike(
  text: string,
  reach: Pick<Reach, "limits">,
  queries: Pick<QueryLog, "alike">,
) {
  const limits = limitsText(await reach.limits())
  return limits === null ? [] : await queries.alike(limits, text, MOST_QUESTIONS)
}
