import { randomUUID } from "node:crypto"
import type { Cluster } from "./server/cluster.ts"

/**
 * How long a page is left to the process that claimed it: the longest pages are embedded in a minute or two. After
 * that, at worst the page is embedded twice, with the same vectors, so clocks that differ by a minute do no harm.
 */
const CLAIM_MS = 300_000

interface Claim {
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly until: number
}

interface StoredClaim {
  readonly _id: string
  readonly found?: boolean
  readonly _seq_no?: number
  readonly _primary_term?: number
  readonly _source?: Claim
}

type BulkItems = readonly Readonly<Record<string, { readonly _id: string; readonly status: number }>>[]

/** Records which process embeds which pages when several processes fill one index: one document per page, keyed by its id. */
export class Claims {
  readonly #cluster: Cluster
  readonly #index: string
  readonly #claimMs: number
  readonly #owner = randomUUID()
  readonly #mine = new Set<string>()
  /** Pages claimed by other processes, and the time until which each claim is valid. */
  readonly #others = new Map<string, number>()

  constructor(cluster: Cluster, index: string, claimMs = CLAIM_MS) {
    this.#cluster = cluster
    this.#index = index
    this.#claimMs = claimMs
  }

  /** Pages that other processes were found to have claimed and still hold. */
  get others(): readonly string[] {
    const now = Date.now()
    for (const [id, until] of this.#others) if (until <= now) this.#others.delete(id)
    return [...this.#others.keys()]
  }

  /** Checks pages claimed by other processes again, since those processes may have finished them. */
  forgetOthers(): void {
    this.#others.clear()
  }

  /** @returns the pages that this process has now claimed, or had already claimed */
  async take(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const unclaimed = ids.filter((id) => !this.#mine.has(id))
    const now = Date.now()
    const claim: Claim = { owner: this.#owner, until: now + this.#claimMs }
    const taken = await this.#bulk(unclaimed.map((_id) => [{ create: { _index: this.#index, _id } }, claim]))
    for (const id of taken) this.#mine.add(id)
    const held = await this.#stored(unclaimed.filter((id) => !taken.has(id)))
    // An earlier attempt whose response got lost might have created the claim.
    const ownOrOver = held.filter(({ _source: { owner, until } }) => owner === this.#owner || until <= now)
    const over = await this.#bulk(
      ownOrOver.map(({ _id, _seq_no: seq, _primary_term: term }) => [
        { index: { _index: this.#index, _id, if_seq_no: seq, if_primary_term: term } },
        claim,
      ]),
    )
    for (const id of over) this.#mine.add(id)
    for (const { _id: id, _source: other } of held) {
      if (!this.#mine.has(id)) this.#others.set(id, Math.max(other.until, now + 1))
    }
    return new Set(ids.filter((id) => this.#mine.has(id)))
  }

  /** Releases pages, so that another process can claim them. */
  async release(ids: readonly string[] = [...this.#mine]): Promise<void> {
    const own = ids.filter((id) => this.#mine.delete(id))
    await this.#bulk(own.map((_id) => [{ delete: { _index: this.#index, _id } }]))
  }

  /** @returns ids of the successful actions */
  async #bulk(actions: readonly (readonly object[])[]): Promise<ReadonlySet<string>> {
    if (actions.length === 0) return new Set()
    const { items } = await this.#cluster.ask<{ items: BulkItems }>((client) =>
      client.bulk({ body: actions.flat() as never }),
    )
    const results = items.flatMap((item) => Object.values(item))
    return new Set(results.filter(({ status }) => status < 300).map(({ _id: id }) => id))
  }

  async #stored(ids: readonly string[]): Promise<Array<StoredClaim & { readonly _source: Claim }>> {
    if (ids.length === 0) return []
    const { docs } = await this.#cluster.ask<{ docs: readonly StoredClaim[] }>((client) =>
      client.mget({ index: this.#index, body: { ids: [...ids] } }),
    )
    return docs.flatMap(({ _source: claim, ...about }) =>
      about.found && claim ? [{ ...about, _source: claim }] : [],
    )
  }
}
