import { type Cluster, type Failure, isPassingStatus, RequestFailed } from "./cluster.ts"

/** A search as OpenSearch's query language has it: its body. */
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

interface Asked {
  readonly header: Readonly<Record<string, unknown>>
  readonly body: SearchBody
  readonly done: PromiseWithResolvers<SearchAnswer>
}

/** Ids and columns are read from the columns alone: the server opens no document for them. */
export const COLUMNS_ONLY = { _source: false, stored_fields: "_none_", track_total_hits: false } as const

/** Searches that are asked in one turn of the event loop go in one request (`_msearch`). */
export class Searches {
  readonly #cluster: Cluster
  #waiting: Asked[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** @param wide whether words weigh what they weigh in all shards together, which costs a second round */
  search(index: string, body: SearchBody, { wide = false } = {}): Promise<SearchAnswer> {
    const header = {
      index,
      // Half an answer would be taken for a whole one.
      allow_partial_search_results: false,
      ...(wide && { search_type: "dfs_query_then_fetch" }),
    }
    const done = Promise.withResolvers<SearchAnswer>()
    this.#waiting.push({ header, body, done })
    if (this.#waiting.length === 1) setImmediate(() => void this.#send())
    return done.promise
  }

  async #send(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    try {
      const lines = asked.flatMap(({ header, body }) => [header, body])
      const { responses } = await this.#cluster.ask<{ responses: readonly Response[] }>(async (client) => {
        const answer = await client.msearch({ body: lines })
        const { responses } = answer.body as unknown as { responses: readonly Response[] }
        const passing = responses.find(({ error, status }) => error && isPassingStatus(status))
        if (passing) throw new RequestFailed(failureIn(passing))
        return answer
      })
      for (const [i, { done }] of asked.entries()) {
        const response = responses[i]!
        if (response.error) done.reject(new RequestFailed(failureIn(response)))
        else done.resolve(response as SearchAnswer)
      }
    } catch (error) {
      for (const { done } of asked) done.reject(error)
    }
  }
}

interface Response extends Partial<SearchAnswer> {
  readonly status: number
  readonly error?: {
    readonly type: string
    readonly reason?: string | null
    readonly root_cause?: ReadonlyArray<{ readonly reason?: string }>
  }
}

function failureIn({ status, error }: Response): Failure {
  const reason = error!.root_cause?.[0]?.reason ?? error!.reason ?? "no reason given"
  return { status, type: error!.type, reason }
}
