import type { Cluster } from "./server/cluster.ts"
import { LONGEST_TERM, type Indexes } from "./server/indexes.ts"

/** Names that are tried to find one that leads to each shard: of three shards the eighth seldom has to be. */
const MOST_TRIED = 5000
const TRIED_AT_A_TIME = 16

interface Vectors {
  readonly docs: ReadonlyArray<{
    readonly term_vectors?: {
      readonly words?: { readonly terms: Readonly<Record<string, { readonly doc_freq?: number }>> }
    }
    readonly error?: { readonly reason: string }
  }>
}

/**
 * In how many pages terms stand, read out of each shard's list of terms: a few microseconds each, where a search for each would
 * take a millisecond. Pages that were removed count until the shard cleans up behind them, as they do in BM25 itself.
 */
export class TermFrequencies {
  readonly #cluster: Cluster
  readonly #indexes: Indexes
  /** A routing value for each shard. */
  #routings: Promise<readonly string[]> | undefined

  constructor(cluster: Cluster, indexes: Indexes) {
    this.#cluster = cluster
    this.#indexes = indexes
  }

  async of(terms: readonly string[]): Promise<Map<string, number>> {
    const found = new Map(terms.map((term) => [term, 0]))
    if (terms.length === 0) return found
    this.#routings ??= this.#findRoutings()
    const routings = await this.#routings.catch((error: unknown) => {
      this.#routings = undefined
      throw error
    })
    const words = terms.join(" ")
    const { docs } = await this.#cluster.ask<Vectors>((client) =>
      client.mtermvectors({
        body: {
          docs: routings.map((routing) => ({
            _index: this.#indexes.pages,
            routing,
            doc: { words },
            fields: ["words"],
            term_statistics: true,
            field_statistics: false,
            offsets: false,
            positions: false,
            payloads: false,
          })),
        } as never,
      }),
    )
    for (const { term_vectors: vectors, error } of docs) {
      if (error) throw new Error(error.reason)
      for (const term of terms) {
        // A map of the server's: a term may be called as what every object has.
        const known = vectors?.words?.terms ?? {}
        const key = term.slice(0, LONGEST_TERM)
        const frequency = Object.hasOwn(known, key) ? (known[key]!.doc_freq ?? 0) : 0
        found.set(term, found.get(term)! + frequency)
      }
    }
    return found
  }

  /** Which shard a routing value leads to only the cluster can tell; it never changes. */
  async #findRoutings(): Promise<readonly string[]> {
    const index = this.#indexes.pages
    const shards = await this.#shardsOf()
    const found = new Map<number, string>()
    for (let at = 0; found.size < shards && at < MOST_TRIED; at += TRIED_AT_A_TIME) {
      await Promise.all(
        Array.from({ length: TRIED_AT_A_TIME }, async (_, i) => {
          const routing = String(at + i)
          const said = await this.#cluster.ask<{ shards: ReadonlyArray<ReadonlyArray<{ shard: number }>> }>(
            (client) => client.searchShards({ index, routing }),
          )
          const shard = said.shards[0]?.[0]?.shard
          if (shard !== undefined && !found.has(shard)) found.set(shard, routing)
        }),
      )
    }
    return [...found.values()]
  }

  async #shardsOf(): Promise<number> {
    const index = this.#indexes.pages
    const { shards } = await this.#cluster.ask<{ shards: readonly unknown[] }>((client) =>
      client.searchShards({ index }),
    )
    return shards.length
  }
}
