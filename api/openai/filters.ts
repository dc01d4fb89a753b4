import { isFields, FieldReader } from "../wire/fields.ts"

type Filter = Readonly<Record<string, unknown>>

const MAX_VALUES = 100

/** What each attribute means in a search of ours, by comparison. */
const KEYS = ["source", "type", "language", "domain", "published_at"] as const
const CHOICES =
  "Must compare source, type, language or domain by eq or in, domain by ne or nin, or published_at by gte or lte, joined by and."

/**
 * Filters of a vector store in the words of our search: comparisons of attributes, and several of them joined by `and`.
 * @throws ApiError 400 for a comparison that cannot be made
 */
export function readFilters(body: FieldReader): Filter {
  const given = body.any("filters")
  if (given === undefined) return {}
  const refuse = () => body.refusal("filters", CHOICES)
  const found: Record<string, unknown> = {}
  for (const comparison of comparisonsOf(given, refuse)) {
    for (const [field, value] of Object.entries(asked(comparison, refuse))) {
      if (field in found) throw refuse()
      found[field] = value
    }
  }
  return found
}

function comparisonsOf(given: unknown, refuse: () => Error): readonly Filter[] {
  if (!isFields(given)) throw refuse()
  if (given["type"] !== "and") return [given]
  const inner = given["filters"]
  if (!Array.isArray(inner) || inner.length > KEYS.length || !inner.every(isFields)) throw refuse()
  return inner
}

function asked({ type, key, value, ...rest }: Filter, refuse: () => Error): Filter {
  if (Object.keys(rest).length > 0) throw refuse()
  const texts = [value].flat()
  const areTexts =
    texts.length > 0 && texts.length <= MAX_VALUES && texts.every((one) => typeof one === "string")
  const isChoice = areTexts && (Array.isArray(value) ? type === "in" : type === "eq")
  const isExclusion = areTexts && (Array.isArray(value) ? type === "nin" : type === "ne")
  switch (key) {
    case "source":
      if (isChoice) return { sources: texts }
      break
    case "type":
      if (isChoice) return { types: texts }
      break
    case "language":
      if (isChoice && texts.length === 1) return { language: texts[0], filter_by_language: true }
      break
    case "domain":
      if (isChoice) return { include_domains: texts }
      if (isExclusion) return { exclude_domains: texts }
      break
    case "published_at":
      if (typeof value !== "number" || Math.abs(value) > 1e11) break
      if (type === "gte") return { start_date: dayOf(value) }
      if (type === "lte") return { end_date: dayOf(value) }
      break
  }
  throw refuse()
}

/** Of a time in seconds since 1970: searches know days. */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
