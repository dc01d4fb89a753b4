import { EngineError } from "../../../errors.ts"
import type { IndexInfo } from "../../adapter.ts"
import { type Cluster, orNull, RequestFailed } from "./cluster.ts"

/** Raised whenever an older Fossick could not read what this one writes, or this one what an older one wrote. */
export const INDEX_FORMAT = 1

/** Names of the indexes on the cluster that together are one of ours. */
export interface Indexes {
  readonly pages: string
  readonly vectors: string
  /** Which process makes whose vectors: see `claims.ts`. */
  readonly claims: string
}

/** How an index is spread over the nodes. */
export interface Spread {
  readonly shards: number
  /** Further copies of each shard, if there are enough nodes. */
  readonly replicas: number
}

export const indexesOf = (name: string): Indexes => ({
  pages: `${name}-pages`,
  vectors: `${name}-vectors`,
  claims: `${name}-claims`,
})

/** Null when there is no index of this name. Format and model are in the mapping, which is made last. */
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
 * Makes an empty index. When several processes do this at once, all use the one index that results. The remains of a process that
 * died while doing this are used, or deleted if they do not fit.
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

/** Whether an existing index of vectors belongs, or may belong, to an index that is being made. */
async function fits(cluster: Cluster, name: string, dimensions: number): Promise<boolean> {
  const { vectors } = indexesOf(name)
  type Mapped = Record<string, { mappings: ReturnType<typeof vectorsIndex>["mappings"] }>
  const said = await orNull(cluster.ask<Mapped>((client) => client.indices.getMapping({ index: vectors })))
  const is = said?.[vectors]?.mappings.properties.passages.properties.vector.dimension
  const { count } = await cluster.ask<{ count: number }>((client) => client.count({ index: vectors }))
  // The process that makes an index adds pages only when the index is complete.
  return (is === dimensions && count === 0) || (await readManifest(cluster, name)) !== null
}

/** An existing index may lack it: older ones have none. */
export async function createClaims(cluster: Cluster, name: string, spread: Spread): Promise<void> {
  await create(cluster, indexesOf(name).claims, claimsIndex(spread))
}

/** @returns false when it was there already */
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

/** All at once: of an index that is half gone another process would take the rest for its own. */
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
          "Start a newer Fossick, or name another index with FOSSICK_OPENSEARCH_INDEX.",
        ] as const)
      : ([
          "INDEX_FORMAT_TOO_OLD",
          "Name another index with FOSSICK_OPENSEARCH_INDEX and crawl again.",
        ] as const)
  throw new EngineError(
    code,
    `The index ${name} on the OpenSearch cluster has format ${format}; this Fossick reads ${INDEX_FORMAT}. ${way}`,
  )
}

/** Terms come analysed, with a space between two. A token longer than any word counts by its beginning. */
export const LONGEST_TERM = 200
const ANALYSIS = {
  tokenizer: { spaces: { type: "whitespace", max_token_length: 1_000_000 } },
  filter: { beginning: { type: "truncate", length: LONGEST_TERM } },
  analyzer: { terms: { type: "custom", tokenizer: "spaces", filter: ["beginning"] } },
}

/** Passages of the longest page, and sections; a book of a thousand pages has some 6,000. */
const MOST_NESTED = 100_000
/** Pages in one answer: of questions that name no word, and counts. */
const MOST_HITS = 200_000
/** Removed documents are remembered for so long: later than that no write comes late. */
const REMEMBERED = "1h"

const copiesOf = ({ shards, replicas }: Spread) => ({
  number_of_shards: shards,
  // On a cluster of one node there are none, and nothing waits for them.
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

/** Read page by page as a column; no document is opened for it. */
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
              // Part of every build; the others need libraries of the machine.
              method: { name: "hnsw", engine: "lucene", parameters: { m: 16, ef_construction: 128 } },
            },
          },
        },
      },
    },
  }
}

/** Fields that indexes of earlier versions lack. */
export async function addNewFields(cluster: Cluster, name: string): Promise<void> {
  const { pages, vectors } = indexesOf(name)
  const body = { properties: { readers: { type: "keyword" as const } } }
  for (const index of [pages, vectors])
    await cluster.ask((client) => client.indices.putMapping({ index, body }))
}

/** Claims are read by their ids alone. */
function claimsIndex({ replicas }: Spread) {
  return {
    settings: { index: copiesOf({ shards: 1, replicas }) },
    mappings: { dynamic: false, properties: {} },
  }
}
