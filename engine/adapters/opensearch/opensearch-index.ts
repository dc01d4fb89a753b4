import type { Condition, LexicalHits, Nearest, SearchIndex } from "../../index/search-index.ts"
import { AskedTerms } from "../server/asked-terms.ts"
import { type IndexState, sharesOf } from "../server/backend.ts"
import { filtersOf, isIn, type QueryClause } from "./filter.ts"
import type { Cluster } from "./server/cluster.ts"
import { inShort } from "./server/documents.ts"
import type { Indexes } from "./server/indexes.ts"
import { KNOWN, KnownPages } from "./server/known-pages.ts"
import { columnsOf } from "./server/page-reads.ts"
import { COLUMNS_ONLY, type SearchBody, type SearchHit, Searches } from "./server/searches.ts"
import type { Shards } from "./server/shards.ts"
import { similarTerms } from "./similar-terms.ts"
import type { TermFrequencies } from "./term-frequencies.ts"

/** Maximum number of nearest neighbours that the plugin examines. */
const MOST_NEAREST = 10_000
/** Number of nearest passages per page: a hit shows three. */
const PASSAGES_PER_PAGE = 4
/** Number of pages in a list that are returned with their columns: in a longer list, most pages are never looked at. */
const MOST_KNOWN_AT_ONCE = 100

/**
 * Added to all vector filters; no field of a passage can match it. Without such a clause, a filter that excludes pages
 * would be mistaken for a filter on passages, which don't match the excluded value either.
 */
const HAS_VECTORS: QueryClause = { term: { waiting: false } }

export interface OpenSearchIndexParts {
  readonly cluster: Cluster
  readonly indexes: Indexes
  readonly shards: Shards
  readonly frequencies: TermFrequencies
  readonly state: IndexState
}

/** The parts needed to answer one search. */
interface Asking {
  readonly searches: Searches
  readonly indexes: Indexes
  readonly state: IndexState
  readonly terms: AskedTerms
  readonly pages: KnownPages
}

/** Answers the queries of one search from an OpenSearch cluster. Remembers the cluster's answers about terms and pages. */
export function opensearchIndex(parts: OpenSearchIndexParts): SearchIndex {
  const { state } = parts
  const asking = askingOf(parts)
  const { terms, pages } = asking
  return {
    languages: sharesOf(state),
    // Waiting pages are searched for among the permitted pages: see `withoutVectors`.
    allEmbedded: false,
    hasTermsAtHand: false,
    takesArmsTogether: true,
    idf: (asked) => terms.idf(asked),
    corrections: (asked, unheld) => terms.corrections(asked, unheld),
    lexical: (asked, limit, conditions) => pagesByWords(asking, asked, limit, conditions),
    nearest: (vector, limit, conditions) => nearestPassages(asking, vector, limit, conditions),
    holding: (asked, match, limit, conditions) => pagesHolding(asking, asked, match, limit, conditions),
    withoutVectors: (ids) => pagesWithoutVectors(asking, ids),
    facts: (ids) => pages.facts(ids),
    heads: (ids) => pages.heads(ids),
    texts: (ids) => pages.texts(ids),
    passageTerms: (ids) => pages.passageTerms(ids),
    passages: (wanted) => pages.passages(wanted),
    markdown: (heads) => pages.storedText(heads, "markdown"),
  }
}

function askingOf({ cluster, indexes, shards, frequencies, state }: OpenSearchIndexParts): Asking {
  const searches = new Searches(cluster)
  const frequenciesOf = (terms: readonly string[]) => frequencies.of(terms, state)
  return {
    searches,
    indexes,
    state,
    terms: new AskedTerms({
      pages: state.pages,
      frequenciesOf,
      similarTerms: (words) => similarTerms(searches, indexes.pages, frequenciesOf, words),
    }),
    pages: new KnownPages(searches, shards, indexes.pages),
  }
}

async function pagesByWords(
  asking: Asking,
  terms: readonly string[],
  limit: number,
  conditions: readonly Condition[],
): Promise<LexicalHits> {
  const held = await asking.terms.held(terms)
  if (held.length === 0) return new Map()
  const isKnown = limit <= MOST_KNOWN_AT_ONCE
  const columns = isKnown ? ["revision", ...KNOWN] : ["written"]
  const hits = await bySection(asking, withTerms(held, "or"), limit, conditions, columns)
  const found = new Map<string, number>()
  for (const { fields, _score: score = 0 } of hits) {
    const read = columnsOf(fields)
    asking.pages.noteVersion(read)
    if (isKnown) asking.pages.keep(read)
    found.set(read.id, score)
  }
  return found
}

async function pagesHolding(
  asking: Asking,
  terms: readonly string[],
  match: "all" | "any",
  limit: number,
  conditions: readonly Condition[],
): Promise<string[]> {
  if (terms.length === 0) return await idsOf(asking, asking.indexes.pages, limit, filtersOf(conditions))
  const question = withTerms(terms, match === "all" ? "and" : "or")
  return (await bySection(asking, question, limit, conditions)).map(({ fields }) => columnsOf(fields).id)
}

async function pagesWithoutVectors(asking: Asking, ids: readonly string[]): Promise<Set<string>> {
  const { indexes, state, pages } = asking
  // If no pages were waiting when the state was read, only pages written after that can be waiting.
  const mayWait = (id: string) => pages.mayBeWrittenAfter(id, state.lastWritten ?? 0)
  const asked = state.waiting > 0 ? ids : ids.filter(mayWait)
  if (asked.length === 0) return new Set()
  const filters = [{ term: { waiting: true } }, isIn("id", asked)]
  return new Set(await idsOf(asking, indexes.vectors, asked.length, filters))
}

async function nearestPassages(
  { searches, indexes }: Asking,
  vector: Float32Array,
  limit: number,
  conditions: readonly Condition[],
): Promise<Nearest[]> {
  const many = Math.min(limit, MOST_NEAREST)
  const { hits } = await searches.search(indexes.vectors, {
    ...COLUMNS_ONLY,
    size: many,
    docvalue_fields: ["id", "revision"],
    query: { bool: nearVector(inShort(vector), many, filtersOf(conditions)) },
  })
  return hits.hits
    .flatMap(passagesOf)
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, limit)
}

function nearVector(vector: ReturnType<typeof inShort>, many: number, filters: readonly QueryClause[]) {
  const near = {
    "passages.vector": {
      vector,
      k: many,
      ...(filters.length > 0 && { filter: { bool: { filter: [HAS_VECTORS, ...filters] } } }),
    },
  }
  const params = { field: "passages.vector", query_value: vector, space_type: "cosinesimil" }
  const compared = {
    script_score: { query: { match_all: {} }, script: { lang: "knn", source: "knn_score", params } },
  }
  const inner = { size: PASSAGES_PER_PAGE, _source: false, stored_fields: "_none_" }
  return {
    must: [{ nested: { path: "passages", score_mode: "max", query: { knn: near } } }],
    // Adds nothing to a page's score: it only returns the nearest passages, each compared with the question.
    should: [{ nested: { path: "passages", score_mode: "none", query: compared, inner_hits: inner } }],
  }
}

const withTerms = (terms: readonly string[], operator: "and" | "or"): QueryClause => ({
  match: { "sections.terms": { query: terms.join(" "), operator } },
})

/** Pages by their best section. */
async function bySection(
  { searches, indexes }: Asking,
  question: QueryClause,
  limit: number,
  conditions: readonly Condition[],
  columns: readonly string[] = [],
): Promise<readonly SearchHit[]> {
  const body: SearchBody = {
    ...COLUMNS_ONLY,
    size: limit,
    docvalue_fields: ["id", ...columns],
    query: {
      bool: {
        must: [{ nested: { path: "sections", score_mode: "max", query: question } }],
        filter: filtersOf(conditions),
      },
    },
  }
  return (await searches.search(indexes.pages, body, { wide: true })).hits.hits
}

/** Ids of the documents of `index` that pass the filters, in any order. */
async function idsOf(
  { searches }: Asking,
  index: string,
  limit: number,
  filters: readonly QueryClause[],
): Promise<string[]> {
  const { hits } = await searches.search(index, {
    ...COLUMNS_ONLY,
    size: limit,
    docvalue_fields: ["id"],
    query: { bool: { filter: filters } },
    sort: ["_doc"],
  })
  return hits.hits.map(({ fields }) => columnsOf(fields).id)
}

/** The server's score of cosines is 0..1. */
function passagesOf({ fields, inner_hits: inner }: SearchHit): Nearest[] {
  const { id: page, revision } = columnsOf(fields)
  return (inner?.["passages"]?.hits.hits ?? []).map(({ _nested: { offset: position }, _score: score }) => ({
    page,
    revision,
    position,
    cosine: 2 * score - 1,
  }))
}
