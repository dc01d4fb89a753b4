import { DEGRADED_PARTS } from "#base/flow/degraded.ts"

import { DEFAULT_LIMIT, MAX_LIMIT } from "../wire/list-limits.ts"
import { bodyOf } from "./published.ts"
import {
  amount,
  count,
  type JsonSchema,
  listOf,
  namedObject,
  oneOf,
  optional,
  type Schema,
  text,
  whole,
  withDefault,
  yesNo,
} from "../schema/schemas.ts"
import { NOT_BLANK } from "../wire/characters.ts"
import { WARNING_CODES } from "../wire/warnings.ts"

// Fields and parameters shared by calls of several features.

/** The parameters of a paginated list. @param things the entries of the list */
export const sliceOf = (things = "entries") => ({
  limit: withDefault(whole(1, MAX_LIMIT, `Maximum number of ${things} to return.`), DEFAULT_LIMIT),
  offset: withDefault(whole(0, Number.MAX_SAFE_INTEGER, `Number of ${things} to skip.`), 0),
})

/** The fields of a paginated response besides the list. */
export const ofSlice = {
  total: count("The number of all entries, not only of those listed."),
  limit: count(),
  offset: count(),
}

/** Text that is not blank. */
export const filled = (description: string, more?: JsonSchema) =>
  text(description, { pattern: NOT_BLANK, ...more })

/** A time in the query, which the handler receives as milliseconds since 1970. */
export const moment = (description: string): Schema<number> => ({
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$",
  description,
})

/** The part of a web address that a schema can check: its beginning. */
export const webAddress = { pattern: String.raw`^\s*[Hh][Tt][Tt][Pp][Ss]?://` }

/** The body of calls that accept no body, or only an empty object. */
export const noBody = bodyOf({})

export const addressesModels = yesNo(
  "True when the shown text gives orders to language models; otherwise left out.",
)

/** Warnings, for responses to requests with fields that may have no effect. */
export const warnings = listOf(
  namedObject("Warning", {
    code: oneOf(WARNING_CODES),
    text: text("What happened, and what to do instead."),
    ...optional({ field: text("The field of the request."), url: text("The page in question.") }),
  }),
  "Parts of the request that the answer does not honour; omitted if empty.",
)

export const usage = namedObject("Usage", { credits: count("Credits that this call cost.") })
export const responseTime = amount("Seconds.")
export const requestId = text("Also in the header `X-Request-Id`.", { format: "uuid" })

/** The parts that are missing from an answer. */
export const degraded = listOf(
  oneOf(Object.keys(DEGRADED_PARTS) as (keyof typeof DEGRADED_PARTS)[]),
  `Parts that this answer was made without, because they were late, busy or out of order; left out for a complete answer. ${Object.entries(
    DEGRADED_PARTS,
  )
    .map(([part, effect]) => `\`${part}\`: ${effect}.`)
    .join(" ")}`,
)
