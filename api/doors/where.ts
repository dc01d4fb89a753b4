import { PAGE_TYPES, type PageType } from "#engine/index/page/page-type.ts"

import type { AskedNames, KnownNames } from "../identity/accounts/reach/known-names.ts"
import type { Asked, SearchLimits } from "../core/ask/question.ts"
import { theCountry } from "../core/understand/countries.ts"
import { theLanguage } from "../core/understand/languages.ts"
import { badRequest } from "../errors.ts"
import { dateWindow, type GivenDates } from "../server/wire/dates.ts"
import { domainList } from "../server/wire/domains.ts"
import { TYPES_ALLOWED } from "../server/operation/filter-fields.ts"

type Texts = string | readonly string[] | undefined

/** Where a search looks, as its caller wrote it. Blank text counts as not set. */
export interface Where extends AskedNames {
  readonly domains?: Texts
  /** Whether pages from these domains are only boosted, and pages from other domains are still returned. */
  readonly isRaised?: boolean
  readonly withoutDomains?: Texts
  readonly types?: Texts
  readonly dates?: GivenDates
  readonly country?: string | undefined
  readonly language?: string | undefined
  /** Whether pages in other languages are left out. */
  readonly isOfLanguage?: boolean
}

/**
 * The filters and preferences.
 * @throws ApiError 400 or Refusal for the first invalid value, naming the field as our own search does
 */
export async function whereOf(
  { isRaised = false, isOfLanguage = false, ...given }: Where,
  limits: SearchLimits,
  names: Pick<KnownNames, "named">,
  now: Date,
): Promise<Required<Pick<Asked, "filter" | "preference">>> {
  const types = set(given.types).map(typeNamed)
  const domains = domainList("include_domains", set(given.domains), limits.includeDomainsCap)
  const languages = languagesOf(given.language, isOfLanguage)
  const excludeDomains = domainList("exclude_domains", set(given.withoutDomains), limits.excludeDomainsCap)
  const { from, before } = dateWindow(given.dates ?? {}, now)
  const country = given.country?.trim() ? theCountry(given.country) : undefined
  const sources = await names.named({ sources: set(given.sources), collections: set(given.collections) })
  return {
    filter: {
      ...(domains.length > 0 && !isRaised && { includeDomains: domains }),
      ...(excludeDomains.length > 0 && { excludeDomains }),
      ...(languages.length > 0 && isOfLanguage && { languages }),
      ...(types.length > 0 && { types }),
      ...(from !== undefined && { publishedFrom: from }),
      ...(before !== undefined && { publishedBefore: before }),
      ...(sources !== undefined && { sources }),
    },
    preference: {
      ...(domains.length > 0 && isRaised && { domains }),
      ...(languages.length > 0 && !isOfLanguage && { languages }),
      ...(country !== undefined && { countries: [country] }),
    },
  }
}

const set = (texts: Texts = []): readonly string[] => [texts].flat().filter((text) => text.trim() !== "")

function languagesOf(language: string | undefined, isOfLanguage: boolean): readonly string[] {
  if (language?.trim()) return theLanguage(language)
  if (isOfLanguage) throw badRequest("Invalid filter_by_language. Must be given together with language.")
  return []
}

function typeNamed(name: string): PageType {
  const type = PAGE_TYPES.find((one) => one === name)
  if (type === undefined) throw badRequest(`Invalid types. Must be ${TYPES_ALLOWED}.`)
  return type
}
