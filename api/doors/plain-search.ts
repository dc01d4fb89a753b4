import { PAGE_TYPES, type PageType } from "#engine/page/page-type.ts"

import { searchCost } from "../accounts/billing/credits.ts"
import type { KnownNames } from "../accounts/reach/known-names.ts"
import { clientGone, type Context, liveDeadline } from "../context.ts"
import { ask, type AskParts, freshParts, SEARCH_SECONDS } from "../core/ask/ask.ts"
import type { VisitKnowledge } from "../core/read/last-check.ts"
import { type Asked, questionOf, type SearchLimits } from "../core/ask/question.ts"
import { theCountry } from "../core/understand/countries.ts"
import { theLanguage } from "../core/understand/languages.ts"
import { badRequest } from "../errors.ts"
import { type GivenDates, dateWindow } from "../wire/dates.ts"
import { domainList } from "../wire/domains.ts"
import { TYPES_ALLOWED } from "./filter-fields.ts"
import { withNote } from "./note-on-orders.ts"

/** Results that other APIs' searches give at most. */
export const MOST_RESULTS = 50
/** Characters of a question that other APIs' searches take. */
export const MAX_QUERY_CHARS = 10_000

/** A search as the APIs beside our own ask it, in what their callers wrote. */
export interface PlainQuestion extends Pick<Asked, "freshness" | "isSafe" | "withImages"> {
  readonly text: string
  readonly results: number
  readonly domains?: readonly string[] | undefined
  readonly withoutDomains?: readonly string[] | undefined
  readonly sources?: readonly string[]
  readonly collections?: readonly string[]
  readonly types?: readonly string[]
  readonly dates?: GivenDates
  readonly country?: string | undefined
  readonly language?: string | undefined
  /** Whether pages in other languages are left out. */
  readonly isOfLanguage?: boolean
  readonly isNews?: boolean
  /** Whether the whole text of pages is wanted. */
  readonly withWhole?: boolean
}

export interface PlainSearchParts extends Pick<
  AskParts,
  "images" | "embedder" | "statementReranker" | "chatModel"
> {
  readonly visits: VisitKnowledge
}

/**
 * The search of the APIs beside our own: of the depth `basic`, paid for as such. Their results have no field that all clients
 * hand on, so the content of a page that gives orders to models begins with a note.
 * @returns asks; it throws ApiError 400 or Refusal for a value that is wrong
 */
export function plainSearch(limits: SearchLimits, { visits, ...parts }: PlainSearchParts) {
  return async (
    ctx: Context,
    asked: PlainQuestion,
    { signal = clientGone(ctx), ...more }: Pick<AskParts, "filing"> & { readonly signal?: AbortSignal } = {},
  ) => {
    const { bill, reach, log, degraded } = ctx.state
    const now = new Date()
    const question = questionOf(askedFor(asked, limits, reach.names, now), limits, now)
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
    const credits = await bill.settle(cost, { depth: "basic", query: asked.text })
    const pages = shown.pages.map((page) => ({
      ...page,
      content: withNote(page.content, page.addressesModels),
    }))
    return { pages, images: shown.images, aged: found.aged, degraded: lacks, credits }
  }
}

/** @throws ApiError 400 naming the field in the words of our own search */
function askedFor(
  { text, results, isOfLanguage = false, ...given }: PlainQuestion,
  limits: SearchLimits,
  names: Pick<KnownNames, "named">,
  now: Date,
): Asked {
  const includeDomains = domainList("include_domains", set(given.domains), limits.includeDomainsCap)
  const languages = given.language === undefined ? [] : theLanguage(given.language)
  const excludeDomains = domainList("exclude_domains", set(given.withoutDomains), limits.excludeDomainsCap)
  const { from, before } = dateWindow(given.dates ?? {}, now)
  const country = given.country?.trim() ? theCountry(given.country) : undefined
  const sources = names.named({ sources: set(given.sources), collections: set(given.collections) })
  const types = set(given.types)
  return {
    text,
    results,
    topic: given.isNews ? "news" : "general",
    filter: {
      ...(includeDomains.length > 0 && { includeDomains }),
      ...(excludeDomains.length > 0 && { excludeDomains }),
      ...(languages.length > 0 && isOfLanguage && { languages }),
      ...(types.length > 0 && { types: types.map(typeNamed) }),
      ...(from !== undefined && { publishedFrom: from }),
      ...(before !== undefined && { publishedBefore: before }),
      ...(sources !== undefined && { sources }),
    },
    preference: {
      ...(languages.length > 0 && !isOfLanguage && { languages }),
      ...(country !== undefined && { countries: [country] }),
    },
    ...(given.isSafe && { isSafe: true }),
    freshness: given.freshness ?? null,
    whole: given.withWhole ? "markdown" : null,
    withImages: given.withImages ?? false,
  }
}

/** Entries that are more than white space. */
const set = (list: readonly string[] = []): readonly string[] => list.filter((entry) => entry.trim() !== "")

function typeNamed(name: string): PageType {
  const type = PAGE_TYPES.find((one) => one === name)
  if (type === undefined) throw badRequest(`Invalid types. Must be ${TYPES_ALLOWED}.`)
  return type
}

/** What other appliances are asked: the body of a search of ours, without what its query says. */
const handedOn = ({ text, dates, ...asked }: PlainQuestion) => ({
  query: text,
  topic: asked.isNews ? "news" : "general",
  ...dates,
  ...(set(asked.types).length > 0 && { types: asked.types }),
  ...(asked.country?.trim() && { country: asked.country }),
  ...(asked.language !== undefined && { language: asked.language }),
  ...(asked.isOfLanguage && { filter_by_language: true }),
  ...(asked.isSafe && { safe_search: true }),
})
