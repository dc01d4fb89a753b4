import type { Router } from "@koa/router"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import { type Context, type Middleware, type RequestState, responseTime } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import type { StateOutage } from "../../server/outage/state-outage.ts"
import { parameter, wholeNumber } from "../../server/middleware/query-parameters.ts"
import { characters } from "../../server/wire/characters.ts"
import type { QueryLog } from "../queries/query-log.ts"
import {
  DEFAULT_SUGGESTIONS,
  MAX_SUGGESTIONS,
  MAX_TYPED_CHARS,
  questionsLike,
  suggestionsFor,
} from "./suggest.ts"

/** First path segment of the call below. */
export const SUGGEST_PATH = "suggest"

export interface SuggestNeeds {
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  /** The store of questions; if left out, none are suggested. */
  readonly queries?: Pick<QueryLog, "alike"> | undefined
  readonly outage: Pick<StateOutage, "without">
}

/** The call that a search box makes for each letter typed: free, and within the scope of its key. */
export function suggestRoutes(
  router: Router<RequestState>,
  { accounts, admissions, queries, outage }: SuggestNeeds,
): void {
  const key = authentication(accounts.keys, { bodyKey: false }).beforeBody
  const admit = admission(admissions, "suggest")
  const alike: QueryLog["alike"] = async (...asked) => (await queries?.alike(...asked)) ?? []
  router.get("/suggest", key, admit, suggest({ alike: outage.without(alike, []) }))
  router.get("/suggest/opensearch", key, admit, browserSuggest())
}

/** Suggestions for the text in the search box of a page or a browser. */
async function suggested(ctx: Context) {
  const { reach } = ctx.state
  const text = parameter(ctx, "q")
  if (text === undefined) throw badRequest("Invalid q. It is missing; set it to what has been typed.")
  if (characters(text) > MAX_TYPED_CHARS) {
    throw badRequest(`Invalid q. Must have at most ${MAX_TYPED_CHARS} characters.`)
  }
  const limit = wholeNumber(ctx, "limit", DEFAULT_SUGGESTIONS, 1, MAX_SUGGESTIONS)
  const sources = await reach.names.named({
    sources: parameter(ctx, "source"),
    collections: parameter(ctx, "collection"),
  })
  const found = await suggestionsFor(ctx.state, { text, limit, sources })
  ctx.set("Cache-Control", "no-store")
  return { text, found, isNarrowed: sources !== undefined }
}

/** GET /suggest/opensearch: the same suggestions in the format that browsers know (OpenSearch 1.1, suggestions extension). */
function browserSuggest(): Middleware {
  return async (ctx) => {
    const { text, found } = await suggested(ctx)
    ctx.type = "application/x-suggestions+json"
    ctx.body = JSON.stringify([text, found.map((one) => one.text)])
  }
}

/** GET /suggest: titles and headings for the text typed so far, and questions asked by others. */
function suggest(queries: Pick<QueryLog, "alike">): Middleware {
  return async (ctx) => {
    const { text, found, isNarrowed } = await suggested(ctx)
    // The log does not know which pages answered a question, so questions cannot be narrowed to sources.
    const questions = isNarrowed ? [] : await questionsLike(text, ctx.state.reach, queries)
    ctx.body = {
      suggestions: found.map(({ text, kind, url }) => ({ text, kind, url })),
      ...(questions.length > 0 && { questions }),
      response_time: responseTime(ctx),
      request_id: ctx.state.requestId,
    }
  }
}
