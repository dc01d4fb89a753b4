import {
  type Cluster,
  failureIn,
  isPassingStatus,
  NEAR_BY,
  RequestFailed,
  type ToldError,
} from "./cluster.ts"

/** The body of a search in OpenSearch's query language. */
export type SearchBody = Readonly<Record<string, unknown>>

export interface SearchHit {
  readonly _score?: number
  readonly _version?: number
  readonly _source?: Readonly<Record<string, unknown>>
  readonly fields?: Readonly<Record<string, readonly unknown[]>>
  readonly inner_hits?: Readonly<
    Record<
      string,
      {
        readonly hits: {
          readonly hits: ReadonlyArray<{ readonly _nested: { offset: number }; _score: number }>
        }
      }
    >
  >
  readonly sort?: readonly unknown[]
}

export interface SearchAnswer {
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly SearchHit[] }
  readonly aggregations?: Readonly<Record<string, unknown>>
  readonly suggest?: Readonly<
    Record<string, ReadonlyArray<{ readonly options: ReadonlyArray<{ text: string; freq: number }> }>>
  >
}

interface SearchOptions {
  /** Whether words are weighted by their frequency in all shards together, which costs a second round trip. Default: false. */
  readonly wide?: boolean
  /** A routing value that selects the one shard to query; by default, all shards are queried. */
  readonly routing?: string | undefined
}

interface Asked {
  readonly header: Readonly<Record<string, unknown>>
  readonly body: SearchBody
  readonly done: PromiseWithResolvers<SearchAnswer>
}

/** Reads ids and columns without opening any document. */
export const COLUMNS_ONLY = { _source: false, stored_fields: "_none_", track_total_hits: false } as const

/** Sends searches; those made in one turn of the event loop are combined into one request (`_msearch`). */
export class Searches {
  readonly #cluster: Cluster
  #waiting: Asked[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  search(
    index: string,
    body: SearchBody,
    { wide = false, routing }: SearchOptions = {},
  ): Promise<SearchAnswer> {
    const header = {
      index,
      ...NEAR_BY,
      ...(routing !== undefined && { routing }),
      // A partial response would be mistaken for a complete one.
      allow_partial_search_results: false,
      ...(wide && { search_type: "dfs_query_then_fetch" }),
    }
    const done = Promise.withResolvers<SearchAnswer>()
    this.#waiting.push({ header, body, done })
    if (this.#waiting.length === 1) setImmediate(() => void this.#send())
    return done.promise
  }

  /**
   * Documents by their ids, in the state that searches see, with the version of each. This skips the search that a
   * fetch by columns begins with. Documents are returned whole, as they were written: to extract a field, the cluster
   * would parse and rewrite the whole document.
   */
  async byId(index: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    if (ids.length === 0) return new Map()
    const { docs } = await this.#cluster.ask<{ docs: readonly Fetched[] }>(async (client) => {
      const answer = await client.mget({
        ...NEAR_BY,
        index,
        realtime: false,
        body: { ids: [...ids] },
      })
      const { docs } = answer.body as unknown as { docs: readonly Fetched[] }
      const failed = docs.find(({ error }) => error)
      // The server doesn't report a status here; a shard without an available copy will have one again.
      const status = failed?.error?.type === "index_not_found_exception" ? 404 : 503
      if (failed) throw new RequestFailed(failureIn(status, failed.error!))
      return answer
    })
    return new Map(
      docs.flatMap(({ _id: id, _version: version, _source: source }) =>
        version === undefined || !source ? [] : [[id, { version, source }]],
      ),
    )
  }

  async #send(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    try {
      const lines = asked.flatMap(({ header, body }) => [header, body])
      const { responses } = await this.#cluster.ask<{ responses: readonly Response[] }>(async (client) => {
        const answer = await client.msearch({ body: lines })
        const { responses } = answer.body as unknown as { responses: readonly Response[] }
        const failures = responses.flatMap(({ status, error }) => (error ? [failureIn(status, error)] : []))
        const passing = failures.find(({ status }) => isPassingStatus(status))
        if (passing) throw new RequestFailed(passing)
        return answer
      })
      for (const [i, { done }] of asked.entries()) {
        const response = responses[i]!
        if (response.error) done.reject(new RequestFailed(failureIn(response.status, response.error)))
        else done.resolve(response as SearchAnswer)
      }
    } catch (error) {
      for (const { done } of asked) done.reject(error)
    }
  }
}

export interface StoredDocument {
  readonly version: number
  readonly source: Readonly<Record<string, unknown>>
}

interface Fetched {
  readonly _id: string
  readonly _version?: number
  readonly _source?: Readonly<Record<string, unknown>>
  readonly error?: ToldError
}

interface Response extends Partial<SearchAnswer> {
  readonly status: number
  readonly error?: ToldError
}
