import { EngineError } from "../../../errors.ts"
import type { IndexInfo } from "../../adapter.ts"
import { type Cluster, orNull } from "./cluster.ts"

/** Raised whenever an older Fossick could not read what this one writes, or this one what an older one wrote. */
export const INDEX_FORMAT = 1

/** Names of the indexes on the cluster that together are one of ours. */
export interface Indexes {
  readonly pages: string
  readonly vectors: string
}

/** How an index is spread over the nodes. */
export interface Spread {
  readonly shards: number
  /** Further copies of each shard, as far as there are nodes for them. */
  readonly replicas: number
}

export const indexesOf = (name: string): Indexes => ({ pages: `${name}-pages`, vectors: `${name}-vectors` })

/** Null when there is no index of this name. What it is stands in the mapping, which is made last. */
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

/** Makes an empty index. What a process left behind that died while doing this is deleted. */
export async function createIndexes(
  cluster: Cluster,
  name: string,
  manifest: IndexInfo,
  spread: Spread,
): Promise<void> {
  await dropIndexes(cluster, name)
  const { pages, vectors } = indexesOf(name)
  const create = (index: string, body: object) =>
    cluster.ask(async (client) => {
      try {
        return await client.indices.create({ index, body })
      } catch (error) {
        // Made by a try whose answer did not come.
        if (await client.indices.exists({ index }).then(({ body }) => body)) return { body: {} }
        throw error
      }
    })
  await create(vectors, vectorsIndex(manifest.dimensions, spread))
  await create(pages, pagesIndex(manifest, spread))
}

export async function dropIndexes(cluster: Cluster, name: string): Promise<void> {
  // The one that says what the index is goes first: without it there is none.
  for (const index of Object.values(indexesOf(name))) {
    await orNull(cluster.ask((client) => client.indices.delete({ index, ignore_unavailable: true })))
  }
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

/** Terms come analysed, with a space between two. What is longer than any word counts by its beginning. */
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

const settingsOf = ({ shards, replicas }: Spread) => ({
  number_of_shards: shards,
  // On a cluster of one node there are none, and nothing waits for them.
  auto_expand_replicas: replicas === 0 ? false : `0-${replicas}`,
  ...(replicas === 0 && { number_of_replicas: 0 }),
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
