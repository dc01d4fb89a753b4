import type { Cluster } from "./cluster.ts"

/** Maximum number of values tried to find one that is routed to each shard: with three shards, more than eight are seldom needed. */
const MOST_TRIED = 5000
const TRIED_AT_A_TIME = 16

interface Known {
  /** For each shard, a value that is routed to it. */
  readonly routings: readonly string[]
  /** Whether the cluster routes the test values to the shards that {@link shardOf} predicts. */
  readonly isForeseen: boolean
}

/** Documents in one shard, with a value that is routed there; without such a value, the documents can be in any shard. */
export interface OfOneShard {
  readonly routing?: string
  readonly ids: readonly string[]
}

/**
 * Which shards the documents of an index are in. Searching one shard returns the results at once, but when there are
 * several, each is queried twice: first for the best hits, and then for their content.
 */
export class Shards {
  readonly #cluster: Cluster
  readonly #index: string
  #known: Promise<Known> | undefined

  constructor(cluster: Cluster, index: string) {
    this.#cluster = cluster
    this.#index = index
  }

  async routings(): Promise<readonly string[]> {
    return (await this.#learnt()).routings
  }

  async split(ids: readonly string[]): Promise<readonly OfOneShard[]> {
    const { routings, isForeseen } = await this.#learnt()
    if (!isForeseen) return [{ ids }]
    const byShard = Map.groupBy(ids, (id) => shardOf(id, routings.length))
    return Array.from(byShard, ([shard, ids]) => ({ routing: routings[shard]!, ids }))
  }

  /** Call this after another index with the same name has been created. */
  forget(): void {
    this.#known = undefined
  }

  #learnt(): Promise<Known> {
    const known = (this.#known ??= this.#learn())
    known.catch(() => (this.#known = undefined))
    return known
  }

  async #learn(): Promise<Known> {
    const index = this.#index
    const { shards } = await this.#cluster.ask<{ shards: readonly unknown[] }>((client) =>
      client.searchShards({ index }),
    )
    const found = new Map<number, string>()
    let isForeseen = true
    for (let at = 0; found.size < shards.length && at < MOST_TRIED; at += TRIED_AT_A_TIME) {
      await Promise.all(
        Array.from({ length: TRIED_AT_A_TIME }, async (_, i) => {
          const routing = String(at + i)
          const said = await this.#cluster.ask<{ shards: ReadonlyArray<ReadonlyArray<{ shard: number }>> }>(
            (client) => client.searchShards({ index, routing }),
          )
          const shard = said.shards[0]?.[0]?.shard
          if (shard === undefined) return
          if (shard !== shardOf(routing, shards.length)) isForeseen = false
          if (!found.has(shard)) found.set(shard, routing)
        }),
      )
    }
    const routings = [...found].toSorted(([a], [b]) => a - b).map(([, routing]) => routing)
    return { routings, isForeseen: isForeseen && routings.length === shards.length }
  }
}

/** Base-2 logarithm of the total number of parts that shards consist of, or of the nearest possible number, so that an index can be split later. */
const PARTS_LOG2 = 10

/** The shard that a document with this id, or a search with this routing value, goes to in an index created with this many shards. */
export function shardOf(routing: string, shards: number): number {
  const parts = 2 ** Math.max(1, PARTS_LOG2 - (32 - Math.clz32(shards - 1)))
  const all = shards * parts
  const hash = murmur3(Buffer.from(routing, "utf16le"))
  return Math.floor((((hash % all) + all) % all) / parts)
}

/** The 32-bit MurmurHash3 of an even number of bytes, as a signed integer. */
export function murmur3(bytes: Buffer): number {
  const mixed = (k: number) => Math.imul(rotated(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593)
  let hash = 0
  const whole = bytes.length - (bytes.length % 4)
  for (let at = 0; at < whole; at += 4) {
    hash = (Math.imul(rotated(hash ^ mixed(bytes.readInt32LE(at)), 13), 5) + 0xe6546b64) | 0
  }
  if (whole < bytes.length) hash ^= mixed(bytes.readUInt16LE(whole))
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

const rotated = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))
