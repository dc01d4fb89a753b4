import { givesModelOrder } from "#engine/text/model-orders.ts"
import type { Suggestion, SuggestionQuery } from "#engine"

import { type Context, type Middleware, responseTime } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { parameter, wholeNumber } from "../../server/middleware/query-parameters.ts"
import { characters } from "../../server/wire/characters.ts"
import { limitsText } from "../../identity/accounts/reach/scoped-pages.ts"
import type { QueryLog } from "../queries/query-log.ts"

/** Characters of what was typed; titles and headings that are suggested have fewer. */
export const MAX_TYPED_CHARS = 400
export const DEFAULT_SUGGESTIONS = 8
export const MAX_SUGGESTIONS = 20

/** Suggestions for the caller. @throws ApiError 403 when the key may not search */
export async function suggestionsFor(
  { state: { key, reach } }: Context,
  query: SuggestionQuery,
  isNone = false,
): Promise<readonly Suggestion[]> {
  // What is suggested is what a search would find.
  if (key.scope.endpoints?.includes("search") === false) {
    throw new ApiError(403, "Access denied. This key may not use /search.")
  }
  const found = isNone ? [] : await reach.suggest(query)
  // There is no room for a label, and an agent may read them.
  return found.filter(({ text }) => !givesModelOrder(text))
}

/** What somebody typed in the box of a page, or of a browser. */
async function suggested(
  ctx: Context,
): Promise<{ readonly text: string; readonly found: readonly Suggestion[]; readonly isNarrowed: boolean }> {
  const { reach } = ctx.state
  const text = parameter(ctx, "q")
  if (text === undefined) throw badRequest("Invalid q. It is missing; it holds what has been typed.")
  if (characters(text) > MAX_TYPED_CHARS) {
    throw badRequest(`Invalid q. Must have at most ${MAX_TYPED_CHARS} characters.`)
  }
  const limit = wholeNumber(ctx, "limit", DEFAULT_SUGGESTIONS, 1, MAX_SUGGESTIONS)
  const sources = await reach.names.named({
    sources: parameter(ctx, "source"),
    collections: parameter(ctx, "collection"),
  })
  // A collection without a source has no page; to the engine an empty list is no filter.
  const query = { text, limit, ...(sources && { filter: { sources } }) }
  const found = await suggestionsFor(ctx, query, sources?.length === 0)
  ctx.set("Cache-Control", "no-store")
  return { text, found, isNarrowed: sources !== undefined }
}

/** GET /suggest/opensearch: the same in the form that browsers know (OpenSearch 1.1, suggestions extension). */
export function browserSuggest(): Middleware {
  return async (ctx) => {
    const { text, found } = await suggested(ctx)
    ctx.type = "application/x-suggestions+json"
    ctx.body = JSON.stringify([text, found.map((one) => one.text)])
  }
}

/** Questions that others asked. */
const MOST_QUESTIONS = 3

/**
 * GET /suggest: titles and headings by what has been typed so far, and where the operator has questions kept, those that several keys of the
 * same reach have asked.
 */
export function suggest(queries?: Pick<QueryLog, "alike">): Middleware {
  return async (ctx) => {
    const { text, found, isNarrowed } = await suggested(ctx)
    // Which pages answered them is not known: they cannot be narrowed down.
    const reach = isNarrowed ? null : limitsText(await ctx.state.reach.limits())
    const questions = reach === null ? [] : ((await queries?.alike(reach, text, MOST_QUESTIONS)) ?? [])
    ctx.body = {
      suggestions: found.map(({ text, kind, url }) => ({ text, kind, url })),
      ...(questions.length > 0 && { questions }),
      response_time: responseTime(ctx),
      request_id: ctx.state.requestId,
    }
  }
}
