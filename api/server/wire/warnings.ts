import type { Fields } from "./fields.ts"
import { isSet, type RequestSchema } from "./validate.ts"

/**
 * Kinds of warnings, for programs. `unknown-field`: the endpoint has no such field; `no-effect`: other fields of the
 * request rule this one out; `shortened`: only the beginning of the value is used; `left-out`: a result is missing
 * because it is too old or gone; `stale`: a result is older than the request asks for; `unread`: pages of a requested
 * source could not be read at their last visit; `language`: hardly any page is in the question's language, or another
 * model would read it; `outage`: the PostgreSQL server could not be reached.
 */
export const WARNING_CODES = [
  "unknown-field",
  "no-effect",
  "shortened",
  "left-out",
  "stale",
  "unread",
  "language",
  "outage",
] as const

/** Part of a request that the response does not honour, or honours differently; or something that may be missing from the response. */
export interface Warning {
  readonly code: (typeof WARNING_CODES)[number]
  /** The field of the request. */
  readonly field?: string
  /** The page that the warning is about. */
  readonly url?: string
  /** For people and models: what happened, and what to do instead. */
  readonly text: string
}

/** Fields that identify the caller or its client library and have no effect: several clients copy their own options into each body. */
const CALLER_FIELDS: ReadonlySet<string> = new Set(["api_key", "apiKey", "apiBaseURL", "client_source"])

/** Maximum number of warnings about unknown fields: a one-megabyte body has room for a hundred thousand names, and the first few are enough to see the problem. */
const MOST_NAMED = 20
const MAX_NAME_CHARS = 100

/** A warning for each field of `body` that is set and that `schema` does not have. */
export function unknownFields(schema: RequestSchema<unknown>, body: Fields): readonly Warning[] {
  const unknown = Object.entries(body).flatMap(([field, value]) =>
    isSet(value) && !Object.hasOwn(schema.properties, field) && !CALLER_FIELDS.has(field) ? [field] : [],
  )
  const named = unknown.slice(0, MOST_NAMED).map((field): Warning => {
    const name = field.slice(0, MAX_NAME_CHARS)
    return { code: "unknown-field", field: name, text: `${name} is not a known field and has no effect.` }
  })
  const others = unknown.length - named.length
  return others === 0
    ? named
    : [...named, { code: "unknown-field", text: `${others} more unknown fields have no effect.` }]
}

/** A warning if `text` is longer than the `most` characters that are used. */
export const shortened = (field: string, text: string | undefined, most: number): readonly Warning[] =>
  text === undefined || text.length <= most
    ? []
    : [
        {
          code: "shortened",
          field,
          text: `Only the first ${most.toLocaleString("en")} characters of ${field} were used.`,
        },
      ]

/** The warnings of a response; the field is omitted if empty. */
export const presentWarnings = (warnings: readonly Warning[]): { readonly warnings?: readonly Warning[] } =>
  warnings.length === 0 ? {} : { warnings }
