import type { IndexState } from "../server/backend.ts"
import { type Cluster, NEAR_BY } from "./server/cluster.ts"
import { LONGEST_TERM, type Indexes } from "./server/indexes.ts"
import type { Shards } from "./server/shards.ts"

interface Vectors {
  readonly docs: ReadonlyArray<{
    readonly term_vectors?: {
      readonly words?: { readonly terms: Readonly<Record<string, { readonly doc_freq?: number }>> }
    }
    readonly error?: { readonly reason: string }
  }>
}

type IndexAsItIs = Pick<IndexState, "pages" | "lastWritten">

/** How long a frequency is trusted while pages change: the frequency of a word changes only as fast as the pages do. */
const BELIEVED_MS = 30_000
/** The share of all pages that may have been added or removed before frequencies are requested again. */
const BELIEVED_SHARE = 0.01
/** Number of terms cached, a few hundred bytes each; the ones requested first are dropped first. */
const MOST_KNOWN = 50_000

/**
 * Number of pages with each term, read from each shard's list of terms. That takes a few microseconds per term, whereas
 * a search for each would take a millisecond. Removed pages are counted until the shard cleans them up, as they are in
 * BM25 itself.
 *
 * Results are cached for a short time while pages change, except when no page contains a term, since the next page
 * might.
 */
export class TermFrequencies {
  readonly #cluster: Cluster
  readonly #indexes: Indexes
  readonly #shards: Shards
  readonly #known = new Map<string, number>()
  #knownAt = -Infinity
  #knownOf: IndexAsItIs = { pages: 0 }

  constructor(cluster: Cluster, indexes: Indexes, shards: Shards) {
    this.#cluster = cluster
    this.#indexes = indexes
    this.#shards = shards
  }

  /** @param index if nothing has been written since, all cached values are valid; if many pages have been added or removed, all are requested again */
  async of(terms: readonly string[], index: IndexAsItIs): Promise<Map<string, number>> {
    this.#forgetWhatIsOld(index)
    const unknown = terms.filter((term) => !this.#known.has(term))
    const asked = unknown.length > 0 ? await this.#ask(unknown) : new Map<string, number>()
    for (const [term, frequency] of asked) {
      if (frequency === 0) continue
      const [first] = this.#known.keys()
      if (this.#known.size >= MOST_KNOWN) this.#known.delete(first!)
      this.#known.set(term, frequency)
    }
    return new Map(terms.map((term) => [term, asked.get(term) ?? this.#known.get(term) ?? 0]))
  }

  #forgetWhatIsOld(index: IndexAsItIs): void {
    const { pages, lastWritten } = this.#knownOf
    if (lastWritten !== undefined && lastWritten === index.lastWritten && pages === index.pages) return
    const isOld = performance.now() - this.#knownAt > BELIEVED_MS
    if (!isOld && Math.abs(index.pages - pages) <= BELIEVED_SHARE * pages) return
    this.#known.clear()
    this.#knownAt = performance.now()
    this.#knownOf = index
  }

  async #ask(terms: readonly string[]): Promise<Map<string, number>> {
    const found = new Map(terms.map((term) => [term, 0]))
    const routings = await this.#shards.routings()
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
        // A check for own properties, because a term can have the name of a built-in property of objects.
        const known = vectors?.words?.terms ?? {}
        const key = term.slice(0, LONGEST_TERM)
        const frequency = Object.hasOwn(known, key) ? (known[key]!.doc_freq ?? 0) : 0
        found.set(term, found.get(term)! + frequency)
      }
    }
    return found
  }
}
