import type { Middleware } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { characters } from "../../server/wire/characters.ts"
import { MAX_TYPED_CHARS } from "../../services/suggestions/suggest.ts"

/** Maximum number of results for a public key. */
export const MOST_PUBLIC_RESULTS = 20

/** What a public key may specify in a search. Everything else requires a secret key. */
const FIELDS: ReadonlySet<string> = new Set([
  "query",
  "max_results",
  "search_depth",
  "chunks_per_source",
  "include_answer",
  "include_facets",
  "include_published_date",
  "exact_match",
  "language",
  "filter_by_language",
  "source",
  "sources",
  "collection",
  "collections",
  "types",
  "paths",
  "versions",
])
const DEPTHS: readonly unknown[] = ["basic", "fast", "ultra-fast"]
const NO_ANSWER: readonly unknown[] = [false, "false"]
const SHORT_ANSWER: readonly unknown[] = [true, "true", "basic"]

/**
 * Limits a search with a public key to the fields such a key may use; other calls pass. Runs after the body was read.
 */
export function publicSearch(): Middleware {
  return async (ctx, next) => {
    const { publicKey, body } = ctx.state
    if (publicKey === undefined) {
      await next()
      return
    }
    const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined)
    const foreign = given.find(([field]) => !FIELDS.has(field))
    if (foreign) throw denied(`${foreign[0].slice(0, 100)} can't be used with a public key`)
    const {
      query,
      max_results: count,
      search_depth: depth,
      include_answer: answer,
    } = Object.fromEntries(given)
    if (typeof query === "string" && characters(query) > MAX_TYPED_CHARS) {
      throw badRequest(`Invalid query. With a public key it must have at most ${MAX_TYPED_CHARS} characters.`)
    }
    if (count !== undefined && !(typeof count === "number" && count <= MOST_PUBLIC_RESULTS)) {
      throw badRequest(
        `Invalid max_results. With a public key it must be a number up to ${MOST_PUBLIC_RESULTS}.`,
      )
    }
    if (depth !== undefined && !DEPTHS.includes(depth)) {
      throw denied("search_depth must be basic, fast or ultra-fast with a public key")
    }
    if (answer !== undefined && !NO_ANSWER.includes(answer)) {
      if (!publicKey.answers) throw denied("include_answer can't be used with this public key")
      if (!SHORT_ANSWER.includes(answer)) throw denied("include_answer must be basic with a public key")
    }
    await next()
  }
}

const denied = (because: string) => new ApiError(403, `Access denied. ${because}.`)
