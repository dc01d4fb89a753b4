import { type Cluster, NEAR_BY } from "./server/cluster.ts"
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

/** How long a frequency is believed: a word becomes much rarer or more frequent only as fast as pages come and go. */
const BELIEVED_MS = 30_000
/** What may have come or gone meanwhile, of all pages. */
const BELIEVED_SHARE = 0.01
/** Terms that are kept in mind, some hundred bytes each. */
const MOST_KNOWN = 10_000

/**
 * In how many pages terms stand, read out of each shard's list of terms: a few microseconds each, where a search for each would
 * take a millisecond. Pages that were removed count until the shard cleans up behind them, as they do in BM25 itself.
 *
 * What was asked is kept in mind for a while, but that no page holds a term: the next page may.
 */
export class TermFrequencies {
  readonly #cluster: Cluster
  readonly #indexes: Indexes
  /** A routing value for each shard. */
  #routings: Promise<readonly string[]> | undefined
  readonly #known = new Map<string, number>()
  #knownAt = -Infinity
  #knownPages = 0

  constructor(cluster: Cluster, indexes: Indexes) {
    this.#cluster = cluster
    this.#indexes = indexes
  }

  /** @param pages that the index holds: when many have come or gone, all is asked anew */
  async of(terms: readonly string[], pages: number): Promise<Map<string, number>> {
    this.#forgetWhatIsOld(pages)
    const unknown = terms.filter((term) => !this.#known.has(term))
    const asked = unknown.length > 0 ? await this.#ask(unknown) : new Map<string, number>()
    for (const [term, frequency] of asked) {
      if (frequency > 0 && this.#known.size < MOST_KNOWN) this.#known.set(term, frequency)
    }
    return new Map(terms.map((term) => [term, asked.get(term) ?? this.#known.get(term) ?? 0]))
  }

  #forgetWhatIsOld(pages: number): void {
    const isOld = performance.now() - this.#knownAt > BELIEVED_MS
    if (!isOld && Math.abs(pages - this.#knownPages) <= BELIEVED_SHARE * this.#knownPages) return
    this.#known.clear()
    this.#knownAt = performance.now()
    this.#knownPages = pages
  }

  async #ask(terms: readonly string[]): Promise<Map<string, number>> {
    const found = new Map(terms.map((term) => [term, 0]))
    this.#routings ??= this.#findRoutings()
    const routings = await this.#routings.catch((error: unknown) => {
      this.#routings = undefined
      throw error
    })
    const words = terms.join(" ")
    const { docs } = await this.#cluster.ask<Vectors>((client) =>
      client.mtermvectors({
        ...NEAR_BY,
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
