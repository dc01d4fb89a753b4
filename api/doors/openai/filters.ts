import type { PlainQuestion } from "../plain-search.ts"
import type { GivenDates } from "../../server/wire/dates.ts"
import { isFields, FieldReader } from "../../server/wire/fields.ts"

type Filter = Readonly<Record<string, unknown>>
type Filters = Partial<Omit<PlainQuestion, "dates">> & GivenDates

const MAX_VALUES = 100

/** The attributes that filters can compare. */
const KEYS = ["source", "type", "language", "domain", "published_at"] as const
const CHOICES =
  "Must compare source, type, language or domain with eq or in, domain with ne or nin, or published_at with gte or lte, joined by and."

/**
 * Translates filters of a vector store into our search filters: comparisons of attributes, and several of them joined
 * by `and`.
 * @throws ApiError 400 for a comparison that cannot be expressed
 */
export function readFilters(body: FieldReader): Partial<PlainQuestion> {
  const given = body.any("filters")
  if (given === undefined) return {}
  const refuse = () => body.refusal("filters", CHOICES)
  const found: Filters = {}
  for (const comparison of comparisonsOf(given, refuse)) {
    const one = asked(comparison, refuse)
    if (Object.keys(one).some((field) => field in found)) throw refuse()
    Object.assign(found, one)
  }
  const { start_date, end_date, ...filters } = found
  return { ...filters, dates: { start_date, end_date } }
}

function comparisonsOf(given: unknown, refuse: () => Error): readonly Filter[] {
  if (!isFields(given)) throw refuse()
  if (given["type"] !== "and") return [given]
  const inner = given["filters"]
  if (!Array.isArray(inner) || inner.length > KEYS.length || !inner.every(isFields)) throw refuse()
  return inner
}

function asked({ type, key, value, ...rest }: Filter, refuse: () => Error): Filters {
  if (Object.keys(rest).length > 0) throw refuse()
  const texts = [value].flat()
  if (key === "published_at") return published(type, value, refuse)
  const areTexts =
    texts.length > 0 && texts.length <= MAX_VALUES && texts.every((one) => typeof one === "string")
  if (!areTexts) throw refuse()
  const isChoice = Array.isArray(value) ? type === "in" : type === "eq"
  const isExclusion = Array.isArray(value) ? type === "nin" : type === "ne"
  switch (key) {
    case "source":
      if (isChoice) return { sources: texts }
      break
    case "type":
      if (isChoice) return { types: texts }
      break
    case "language":
      if (isChoice && texts.length === 1) return { language: texts[0]!, isOfLanguage: true }
      break
    case "domain":
      if (isChoice) return { domains: texts }
      if (isExclusion) return { withoutDomains: texts }
      break
  }
  throw refuse()
}

function published(type: unknown, value: unknown, refuse: () => Error): GivenDates {
  if (typeof value !== "number" || Math.abs(value) > 1e11) throw refuse()
  if (type === "gte") return { start_date: dayOf(value) }
  if (type === "lte") return { end_date: dayOf(value) }
  throw refuse()
}

/** The day of a time in seconds since 1970: searches filter by day. */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
