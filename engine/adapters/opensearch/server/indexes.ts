import { EngineError } from "../../../errors.ts"
import type { IndexInfo } from "../../adapter.ts"
import { type Cluster, orNull, RequestFailed } from "./cluster.ts"

/** Raised whenever an older Fossick couldn't read indexes written by this one, or this one couldn't read indexes written by an older one. */
export const INDEX_FORMAT = 1

/** Names of the indexes on the cluster that together make up one of ours. */
export interface Indexes {
  readonly pages: string
  readonly vectors: string
  /** The index that records which process embeds which pages: see `claims.ts`. */
  readonly claims: string
}

/** How an index is spread over the nodes. */
export interface Spread {
  readonly shards: number
  /** Number of additional copies of each shard, if there are enough nodes. */
  readonly replicas: number
}

export const indexesOf = (name: string): Indexes => ({
  pages: `${name}-pages`,
  vectors: `${name}-vectors`,
  claims: `${name}-claims`,
})

/** `null` if there is no index with this name. Format and model are in the mapping, which is created last. */
export async function readManifest(cluster: Cluster, name: string): Promise<IndexInfo | null> {
  const { pages } = indexesOf(name)
  const said = await orNull(
    cluster.ask<Record<string, { mappings: { _meta?: IndexInfo } }>>((client) =>
      client.indices.getMapping({ index: pages }),
    ),
  )
  const { _meta: manifest = null } = said?.[pages]?.mappings ?? {}
  return manifest
}

/**
 * Creates an empty index. If several processes do this at once, they all use the resulting index. Anything left behind
 * by a process that died while doing so is used, or deleted if it doesn't fit.
 */
export async function createIndexes(
  cluster: Cluster,
  name: string,
  manifest: IndexInfo,
  spread: Spread,
): Promise<void> {
  const { pages, vectors } = indexesOf(name)
  const { dimensions } = manifest
  const isMade = await create(cluster, vectors, vectorsIndex(dimensions, spread))
  if (!isMade && !(await fits(cluster, name, dimensions))) {
    await orNull(cluster.ask((client) => client.indices.delete({ index: vectors })))
    await create(cluster, vectors, vectorsIndex(dimensions, spread))
  }
  await createClaims(cluster, name, spread)
  await create(cluster, pages, pagesIndex(manifest, spread))
}

/** Whether an existing vectors index belongs, or might belong, to an index that is being created. */
async function fits(cluster: Cluster, name: string, dimensions: number): Promise<boolean> {
  const { vectors } = indexesOf(name)
  type Mapped = Record<string, { mappings: ReturnType<typeof vectorsIndex>["mappings"] }>
  const said = await orNull(cluster.ask<Mapped>((client) => client.indices.getMapping({ index: vectors })))
  const is = said?.[vectors]?.mappings.properties.passages.properties.vector.dimension
  const { count } = await cluster.ask<{ count: number }>((client) => client.count({ index: vectors }))
  // The process that creates an index adds pages only once the index is complete.
  return (is === dimensions && count === 0) || (await readManifest(cluster, name)) !== null
}

/** Creates the claims index, which indexes from earlier versions lack. */
export async function createClaims(cluster: Cluster, name: string, spread: Spread): Promise<void> {
  await create(cluster, indexesOf(name).claims, claimsIndex(spread))
}

/** @returns false when it already existed */
async function create(cluster: Cluster, index: string, body: object): Promise<boolean> {
  try {
    await cluster.ask((client) => client.indices.create({ index, body }))
    return true
  } catch (error) {
    if (error instanceof RequestFailed && error.failure.type === "resource_already_exists_exception")
      return false
    throw error
  }
}

/** Deletes all the indexes at once: if only some were deleted, another process would adopt the rest. */
export async function dropIndexes(cluster: Cluster, name: string): Promise<void> {
  const index = Object.values(indexesOf(name))
  await orNull(cluster.ask((client) => client.indices.delete({ index, ignore_unavailable: true })))
}

/** @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD` */
export function refuseOtherFormat({ format }: IndexInfo, name: string): void {
  if (format === INDEX_FORMAT) return
  const [code, way] =
    format > INDEX_FORMAT
      ? ([
          "INDEX_FORMAT_TOO_NEW",
          "Start a newer Fossick, or set FOSSICK_OPENSEARCH_INDEX to another index.",
        ] as const)
      : (["INDEX_FORMAT_TOO_OLD", "Set FOSSICK_OPENSEARCH_INDEX to another index and crawl again."] as const)
  throw new EngineError(
    code,
    `The index ${name} on the OpenSearch cluster has format ${format}; this Fossick reads ${INDEX_FORMAT}. ${way}`,
  )
}

/** Maximum length of a term: a longer token isn't a word, and is truncated. Terms are already analysed, and separated by single spaces. */
export const LONGEST_TERM = 200
const ANALYSIS = {
  tokenizer: { spaces: { type: "whitespace", max_token_length: 1_000_000 } },
  filter: { beginning: { type: "truncate", length: LONGEST_TERM } },
  analyzer: { terms: { type: "custom", tokenizer: "spaces", filter: ["beginning"] } },
}

/** Maximum number of passages, and of sections, on a page; a book of a thousand pages has about 6,000. */
const MOST_NESTED = 100_000
/** Number of pages per response, for questions without words and for counts. */
const MOST_HITS = 200_000
/** How long removed documents are remembered: no write arrives later than this after a removal. */
const REMEMBERED = "1h"

const copiesOf = ({ shards, replicas }: Spread) => ({
  number_of_shards: shards,
  // On a single-node cluster there are no replicas, and nothing waits for them.
  auto_expand_replicas: replicas === 0 ? false : `0-${replicas}`,
  ...(replicas === 0 && { number_of_replicas: 0 }),
})

const settingsOf = (spread: Spread) => ({
  ...copiesOf(spread),
  gc_deletes: REMEMBERED,
  max_result_window: MOST_HITS,
  mapping: { nested_objects: { limit: MOST_NESTED } },
  analysis: ANALYSIS,
})

const keyword = { type: "keyword" }
const FILTERS = {
  id: keyword,
  host: keyword,
  domain: keyword,
  source: keyword,
  type: keyword,
  language: keyword,
  topic: keyword,
  country: keyword,
  readers: keyword,
  unsafe: { type: "boolean" },
  port: { type: "integer" },
  published: { type: "long" },
  revision: { type: "long" },
  passage_count: { type: "integer" },
  written: { type: "long" },
}

/** Stored as a column, so that it can be read for many pages without opening a document. */
const COLUMN = { type: "binary", doc_values: true }

function pagesIndex(manifest: IndexInfo, spread: Spread) {
  return {
    settings: { index: settingsOf(spread) },
    mappings: {
      _meta: manifest,
      dynamic: false,
      _source: { includes: ["markdown", "passages"] },
      properties: {
        ...FILTERS,
        head: COLUMN,
        facts: COLUMN,
        passage_terms: COLUMN,
        words: { type: "text", analyzer: "terms", norms: false, index_options: "docs" },
        sections: {
          type: "nested",
          properties: { terms: { type: "text", analyzer: "terms", index_options: "freqs" } },
        },
      },
    },
  }
}

function vectorsIndex(dimensions: number, spread: Spread) {
  return {
    settings: { index: { ...settingsOf(spread), knn: true } },
    mappings: {
      dynamic: false,
      _source: { excludes: ["passages"] },
      properties: {
        ...FILTERS,
        waiting: { type: "boolean" },
        passages: {
          type: "nested",
          properties: {
            vector: {
              type: "knn_vector",
              dimension: dimensions,
              space_type: "cosinesimil",
              // This engine is part of every build; the others need native libraries.
              method: { name: "hnsw", engine: "lucene", parameters: { m: 16, ef_construction: 128 } },
            },
          },
        },
      },
    },
  }
}

/** Adds fields that indexes from earlier versions lack. */
export async function addNewFields(cluster: Cluster, name: string): Promise<void> {
  const { pages, vectors } = indexesOf(name)
  const body = { properties: { readers: { type: "keyword" as const } } }
  for (const index of [pages, vectors])
    await cluster.ask((client) => client.indices.putMapping({ index, body }))
}

/** Claims are only read by id. */
function claimsIndex({ replicas }: Spread) {
  return {
    settings: { index: copiesOf({ shards: 1, replicas }) },
    mappings: { dynamic: false, properties: {} },
  }
}
