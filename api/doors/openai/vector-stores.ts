import { modelLabel } from "../../server/wire/model-label.ts"
import { splitPassages } from "../../core/read/page-text.ts"
import type { KnownNames } from "../../identity/accounts/reach/known-names.ts"
import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { parameter, pathParameter, wholeNumber } from "../../server/middleware/query-parameters.ts"
import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"
import { sourcesWithin } from "../../services/pages/sources.ts"
import { MAX_QUERY_CHARS, MOST_RESULTS, plainSearch, type PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { FieldReader } from "../../server/wire/fields.ts"
import { readFilters } from "./filters.ts"

export type VectorStoreParts = PlainSearchParts & {
  readonly knowledge: Pick<PageKnowledge, "sources">
}

/** Id of the store that contains all pages that a key may see. */
export const ALL = "all"
const MAX_QUERIES = 10
const DEFAULT_RESULTS = 10

/** GET /v1/vector_stores: the whole index, and each collection that the key may know about. */
export function listStores({ knowledge }: VectorStoreParts): Middleware {
  return async (ctx) => {
    const limit = wholeNumber(ctx, "limit", 20, 1, 100)
    const after = parameter(ctx, "after")
    const before = parameter(ctx, "before")
    const ids = await idsOf(ctx.state.reach.names)
    const ordered = parameter(ctx, "order") === "asc" ? ids.toReversed() : ids
    const from = after === undefined ? 0 : ordered.indexOf(after) + 1
    const to = before === undefined ? ordered.length : Math.max(0, ordered.indexOf(before))
    const shown = ordered.slice(from, to).slice(0, limit)
    ctx.body = {
      object: "list",
      data: await Promise.all(shown.map((id) => storeObject(ctx, id, knowledge))),
      first_id: shown[0] ?? null,
      last_id: shown.at(-1) ?? null,
      has_more: from + shown.length < to,
    }
  }
}

/** GET /v1/vector_stores/{id} */
export function getStore({ knowledge }: VectorStoreParts): Middleware {
  return async (ctx) => {
    ctx.body = await storeObject(ctx, await idOf(ctx), knowledge)
  }
}

/** POST /v1/vector_stores/{id}/search: searches the index, or a collection. */
export function searchStore(limits: SearchLimits, parts: VectorStoreParts): Middleware {
  const search = plainSearch(limits, parts)
  return async (ctx) => {
    const id = await idOf(ctx)
    const body = new FieldReader(ctx.state.body)
    const queries = queriesOf(body)
    const most = body.number("max_num_results", 1, MOST_RESULTS) ?? DEFAULT_RESULTS
    const filters = readFilters(body)
    const ranking = body.object("ranking_options")
    const threshold = ranking?.number("score_threshold", 0, 1, false) ?? 0
    // Names of OpenAI's own rankers: there is only one ranker here, and `none` means no reranking, which is the default
    // here.
    ranking?.passedOver("ranker")
    ranking?.only([], ["hybrid_search"], "The appliance sets the weights of words and meaning.")
    ranking?.end()
    body.only([false], ["rewrite_query"], "Questions are never rewritten.")
    body.end()
    const asked = {
      text: queries.join(" "),
      results: most,
      ...filters,
      ...(id !== ALL && { collections: [id] }),
    }
    const { pages } = await search(ctx, asked, { filing: await ctx.state.reach.names.filing() })
    ctx.body = {
      object: "vector_store.search_results.page",
      search_query: queries,
      data: pages
        .filter(({ hit }) => hit.score >= threshold)
        .map(({ hit, content, filed, addressesModels }) => ({
          file_id: hit.url,
          filename: hit.title || hit.url,
          score: hit.score,
          attributes: {
            url: hit.url,
            title: hit.title,
            type: hit.type,
            ...modelLabel(addressesModels),
            ...(hit.language !== null && { language: hit.language }),
            ...(filed?.sources[0] !== undefined && { source: filed.sources[0] }),
            ...(hit.publishedAt && { published_at: Math.floor(hit.publishedAt.getTime() / 1000) }),
          },
          content: splitPassages(content).map((text) => ({ type: "text", text })),
        })),
      has_more: false,
      next_page: null,
    }
  }
}

function queriesOf(body: FieldReader): readonly string[] {
  const given = body.any("query")
  const queries = typeof given === "string" ? [given] : given
  const isQuery = (one: unknown): one is string =>
    typeof one === "string" && one.trim() !== "" && one.length <= MAX_QUERY_CHARS
  if (
    Array.isArray(queries) &&
    queries.length > 0 &&
    queries.length <= MAX_QUERIES &&
    queries.every(isQuery)
  ) {
    return queries
  }
  throw body.refusal("query", `Must be a string or a list of up to ${MAX_QUERIES} strings.`)
}

const idsOf = async (names: Pick<KnownNames, "all">): Promise<readonly string[]> => [
  ALL,
  ...(await names.all()).collections,
]

/**
 * Finds a store by its id.
 * @throws ApiError 404 for a store that the key may not know about
 */
async function idOf(ctx: Context): Promise<string> {
  const id = pathParameter(ctx, "id")
  if ((await idsOf(ctx.state.reach.names)).includes(id)) return id
  throw new ApiError(404, `No vector store found with id ${JSON.stringify(id.slice(0, 100))}.`)
}

async function storeObject(ctx: Context, id: string, knowledge: VectorStoreParts["knowledge"]) {
  const { reach } = ctx.state
  const { names } = reach
  const held = new Set(
    id === ALL ? (await names.all()).sources : ((await names.named({ collections: id })) ?? []),
  )
  const sources = (await sourcesWithin(reach, knowledge)).filter(({ name }) => held.has(name))
  const pages = sources.reduce((sum, one) => sum + (one.pages ?? 0), 0)
  const checked = sources.flatMap(({ checkedAt }) => checkedAt ?? [])
  const last = checked.length === 0 ? null : Math.floor(Math.max(...checked.map(Number)) / 1000)
  return {
    id,
    object: "vector_store",
    created_at: 0,
    name: id,
    usage_bytes: 0,
    file_counts: { in_progress: 0, completed: pages, failed: 0, cancelled: 0, total: pages },
    status: "completed",
    expires_after: null,
    expires_at: null,
    last_active_at: last,
    metadata: {},
  }
}
