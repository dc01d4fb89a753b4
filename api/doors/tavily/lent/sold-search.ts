import type { SearchLimits } from "../../../core/ask/question.ts"
import { badRequest } from "../../../errors.ts"
import { object, oneOf, optional, whole } from "../../../server/schema/schemas.ts"
import { bodyReader } from "../../../server/wire/validate.ts"
import { unknownFields } from "../../../server/wire/warnings.ts"
import { type ListenerParts, openListener, type PaidListener } from "../../x402/open-listener.ts"
import type { SoldCall } from "../../x402/sold-call.ts"
import { type PreparedSearch, prepareSearch, withUnknown } from "../prepare.ts"
import { type SearchBody, searchSchema } from "../schema.ts"
import { performSearch } from "../search.ts"

const MAX_QUERY_CHARS = 1000
const MAX_FETCH_SECONDS = 20

/**
 * `explain` is only for operators, evidence is only for their other appliances, payers see neither the names of sources
 * and collections nor counts for them, and there are no credits to report. So these fields are unknown here, and the
 * answer warns about them as it does about other unknown fields.
 */
const UNPAID = [
  "explain",
  "include_evidence",
  "include_facets",
  "include_usage",
  "include_word_statistics",
  "sources",
  "collections",
  "word_statistics",
] as const satisfies (keyof SearchBody)[]

const properties = omit(searchSchema.properties, UNPAID)

function omit<T extends object, K extends keyof T>(value: T, keys: readonly K[]): Omit<T, K> {
  const left = { ...value }
  for (const key of keys) delete left[key]
  return left
}

const QUERY_ALLOWED = `a string of 1 to ${MAX_QUERY_CHARS} characters`

/** The body of POST /search where searches are paid for one at a time. */
export const paidSearchSchema = object({
  query: { ...properties.query, "x-allowed": QUERY_ALLOWED },
  ...optional({
    ...omit(properties, ["query"]),
    search_depth: { ...properties.search_depth, enum: ["advanced"] },
    max_results: { ...properties.max_results, anyOf: [whole(1, 50), oneOf(["auto"])] },
    // A sale that takes longer than SEARCH_MS fails.
    fetch_timeout: { ...properties.fetch_timeout, maximum: MAX_FETCH_SECONDS },
  }),
})

/** Creates a reader of paid requests. The reader throws an ApiError 400 for an invalid request, so every request that passes can be answered. */
export function paidRequestReader(
  limits: SearchLimits,
): (body: Readonly<Record<string, unknown>>) => Promise<PreparedSearch> {
  const read = bodyReader(paidSearchSchema)
  return async (body) => {
    const request = read(body)
    if (Array.from(request.query).length > MAX_QUERY_CHARS) {
      throw badRequest(`Invalid query. Must be ${QUERY_ALLOWED}.`)
    }
    const paid = {
      ...request,
      search_depth: "advanced",
      explain: false,
      include_evidence: false,
      include_usage: false,
      include_word_statistics: false,
    } as const
    return withUnknown(await prepareSearch(paid, limits), unknownFields(paidSearchSchema, body))
  }
}

/** The searches that are sold: bodies of POST /search, and its answers. */
export function soldSearch(limits: SearchLimits): SoldCall {
  const read = paidRequestReader(limits)
  return {
    schema: paidSearchSchema,
    async read(body) {
      const prepared = await read(body)
      return {
        identity: JSON.stringify(prepared.request),
        answer: (ctx, parts, stop) => performSearch(prepared, ctx, parts, stop),
      }
    },
  }
}

/** Opens the listener that sells searches. */
export const openPaidListener = (parts: Omit<ListenerParts, "sold">): Promise<PaidListener> =>
  openListener({ ...parts, sold: soldSearch(parts.limits) })
