import { Client } from "@opensearch-project/opensearch"
import type { PageWithVectors } from "#engine"
import { pageId } from "#engine/index/page/page-url.ts"
import { toPassages } from "#engine/text/passages.ts"

const CHARS_PER_CALL = 8_000_000
/** Number of candidates from each arm, and the weight of the vectors' score, as in OpenSearch's own examples. */
const NEAREST = 100
const PIPELINE = "fossick-bench-hybrid"
const SHARE = 0.6

export interface Spread {
  readonly shards: number
  readonly replicas: number
}

/**
 * OpenSearch's own ranking: BM25 over English words for title and text, plus the passages' vectors, mixed by its `hybrid` query. The
 * engine's OpenSearch adapter is how Fossick uses the same cluster.
 */
export class OpenSearchHybrid {
  readonly #client: Client
  readonly #index: string

  private constructor(client: Client, index: string) {
    this.#client = client
    this.#index = index
  }

  /** Creates a new index; an index of the same name is deleted first. */
  static async create(
    urls: readonly string[],
    index: string,
    dimensions: number,
    { shards, replicas }: Spread,
  ): Promise<OpenSearchHybrid> {
    const client = new Client({ nodes: [...urls], requestTimeout: 120_000 })
    await client.indices.delete({ index, ignore_unavailable: true })
    await client.indices.create({
      index,
      body: {
        settings: { index: { knn: true, number_of_shards: shards, number_of_replicas: replicas } },
        mappings: {
          dynamic: false,
          _source: { excludes: ["passages.vector"] },
          properties: {
            url: { type: "keyword" },
            title: { type: "text", analyzer: "english" },
            text: { type: "text", analyzer: "english" },
            passages: {
              type: "nested",
              properties: {
                vector: {
                  type: "knn_vector",
                  dimension: dimensions,
                  space_type: "cosinesimil",
                  method: { name: "hnsw", engine: "lucene", parameters: { m: 16, ef_construction: 128 } },
                },
              },
            },
          },
        },
      } as never,
    })
    await client.transport.request({
      method: "PUT",
      path: `/_search/pipeline/${PIPELINE}`,
      body: {
        phase_results_processors: [
          {
            "normalization-processor": {
              normalization: { technique: "min_max" },
              combination: { technique: "arithmetic_mean", parameters: { weights: [1 - SHARE, SHARE] } },
            },
          },
        ],
      },
    })
    return new OpenSearchHybrid(client, index)
  }

  async load(pages: readonly PageWithVectors[]): Promise<void> {
    let lines: string[] = []
    let chars = 0
    const send = async () => {
      if (lines.length === 0) return
      const { body } = await this.#client.bulk({ body: lines.join("") as never })
      if (body.errors) throw new Error(`OpenSearch refused pages: ${JSON.stringify(body.items[0])}`)
      lines = []
      chars = 0
    }
    for (const { page, vectors } of pages) {
      const document = {
        url: page.url,
        title: page.title,
        text: toPassages(page.markdown)
          .map((passage) => passage.text)
          .join("\n\n"),
        passages: (vectors ?? []).map((vector) => ({
          vector: Array.from(vector, (value) => Math.round(value * 1e7) / 1e7),
        })),
      }
      const line = `${JSON.stringify({ index: { _index: this.#index, _id: pageId(page.url) } })}\n${JSON.stringify(document)}\n`
      lines.push(line)
      chars += line.length
      if (chars >= CHARS_PER_CALL) await send()
    }
    await send()
    await this.#client.indices.refresh({ index: this.#index })
  }

  /** Addresses and scores, best first, with the fields that a list of hits displays: the title, and a piece of the text around the words. */
  async search(
    { text, vector }: { readonly text: string; readonly vector: readonly number[] },
    limit: number,
  ): Promise<Array<{ url: string; score: number }>> {
    const { body } = await this.#client.search({
      index: this.#index,
      search_pipeline: PIPELINE,
      body: {
        size: limit,
        _source: ["url", "title"],
        highlight: { fields: { text: { number_of_fragments: 1, fragment_size: 300 } } },
        query: {
          hybrid: {
            queries: [
              { multi_match: { query: text, fields: ["title^2", "text"] } },
              {
                nested: {
                  path: "passages",
                  score_mode: "max",
                  query: { knn: { "passages.vector": { vector, k: NEAREST } } },
                },
              },
            ],
          },
        },
      } as never,
    })
    const { hits } = body.hits as unknown as {
      hits: ReadonlyArray<{ _source: { url: string }; _score: number }>
    }
    return hits.map(({ _source: { url }, _score: score }) => ({ url, score }))
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}
