import { searchCost } from "../identity/accounts/billing/credits.ts"
import { clientGone, type Context, liveDeadline } from "../context.ts"
import { ask, type AskParts, freshParts, SEARCH_SECONDS } from "../core/ask/ask.ts"
import type { VisitKnowledge } from "../core/read/last-check.ts"
import { type Asked, questionOf, type SearchLimits } from "../core/ask/question.ts"
import { type Where, whereOf } from "./where.ts"
import { withNote } from "../server/wire/note-on-orders.ts"

/** Maximum number of results for searches through other APIs. */
export const MOST_RESULTS = 50
/** Maximum length in characters of a question in searches through other APIs. */
export const MAX_QUERY_CHARS = 10_000

/** A search request from the APIs other than our own, as their callers wrote it. */
export interface PlainQuestion extends Where, Pick<Asked, "freshness" | "isSafe" | "withImages"> {
  readonly text: string
  readonly results: number
  readonly isNews?: boolean
  /** Whether to return the whole text of pages. */
  readonly withWhole?: boolean
}

export interface PlainSearchParts extends Pick<AskParts, "images" | "embedder" | "unitReader" | "chatModel"> {
  readonly visits: VisitKnowledge
}

/**
 * The search for the APIs other than our own: with depth `basic`, at the price for that depth. Their results have no
 * field that all clients pass on, so the content of a page that contains instructions to models begins with a note.
 * @returns a function that searches; it throws ApiError 400 or Refusal for an invalid value
 */
export function plainSearch(limits: SearchLimits, { visits, ...parts }: PlainSearchParts) {
  return async (
    ctx: Context,
    asked: PlainQuestion,
    { signal = clientGone(ctx), ...more }: Pick<AskParts, "filing"> & { readonly signal?: AbortSignal } = {},
  ) => {
    const { bill, reach, log, degraded } = ctx.state
    const now = new Date()
    const { text, results, freshness, isSafe, withImages } = asked
    const wanted: Asked = {
      ...(await whereOf(asked, limits, reach.names, now)),
      text,
      results,
      topic: asked.isNews ? "news" : "general",
      whole: asked.withWhole ? "markdown" : null,
      ...(freshness && { freshness }),
      ...(isSafe && { isSafe }),
      ...(withImages && { withImages }),
    }
    const question = questionOf(wanted, limits, now)
    const cost = searchCost("basic")
    await bill.reserve(cost)
    const { found, shown } = await ask(
      question,
      {
        ...parts,
        ...more,
        engine: reach.engine,
        peers: { body: handedOn(asked), hops: 0 },
        fresh: freshParts(reach, visits),
      },
      { signal, deadline: () => liveDeadline(ctx, SEARCH_SECONDS), log },
    )
    const lacks = degraded.parts
    const credits = await bill.settle(cost, { depth: "basic", query: text })
    const pages = shown.pages.map((page) => ({
      ...page,
      content: withNote(page.content, page.addressesModels),
    }))
    const { aged, languageNotice } = found
    return { pages, images: shown.images, aged, languageNotice, degraded: lacks, credits }
  }
}

/** The body sent to other appliances: a search in our own format, without the filters of its query. */
const handedOn = ({ text, dates, ...asked }: PlainQuestion) => ({
  query: text,
  topic: asked.isNews ? "news" : "general",
  ...dates,
  ...(asked.types?.length && { types: asked.types }),
  ...(asked.country?.trim() && { country: asked.country }),
  ...(asked.language !== undefined && { language: asked.language }),
  ...(asked.isOfLanguage && { filter_by_language: true }),
  ...(asked.isSafe && { safe_search: true }),
})
