import type { Logger } from "pino"

import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"
import type { Engine, PageUrl, Rule } from "#engine"
import { type Readers, readersOf } from "#engine/index/page/readers.ts"

import { federatedEngine } from "./federated-engine.ts"
import { Peer, type PeerOptions, type PeerState } from "./peer.ts"
import { peerOfSource, type PeerSpec, sourceOfPeer } from "./peers-file.ts"

export interface FederationOptions extends Omit<PeerOptions, "onChange"> {
  readonly mostHops: number
  readonly rules: () => Promise<readonly Rule[]>
  readonly log: Logger
}

/** The metrics of one peer. */
export interface PeerCounts {
  readonly name: string
  readonly isUp: boolean
  /** Number of questions since startup, by outcome. */
  readonly asked: ReadonlyMap<PeerState, number>
}

/** Remembers which peer has a page, for about ten thousand pages: some callers read a page after finding it. */
const MEMORY = new CacheMemory("peer-pages", 4_000_000)

/** The peers of this appliance; closes them when disposed of. */
export class Federation implements AsyncDisposable {
  readonly peers: readonly Peer[]
  readonly #options: FederationOptions
  readonly #asked = new Map<string, Map<PeerState, number>>()
  readonly #holders = new ByteLru<PageUrl, string>(MEMORY)

  /** @throws KnownError when a certificate authority cannot be read */
  constructor(specs: readonly PeerSpec[], options: FederationOptions) {
    this.#options = options
    this.peers = specs.map(
      (spec) =>
        new Peer(spec, {
          ...options,
          onChange: (peer, outage) => {
            if (outage === null) options.log.info({ peer }, "the peer {peer} is answering again")
            else
              options.log.warn({ peer, reason: outage.detail }, "no answers from the peer {peer}: {reason}")
          },
        }),
    )
  }

  /** The names that peers have as sources. */
  get sourceNames(): readonly string[] {
    return this.peers.map(({ spec }) => sourceOfPeer(spec.name))
  }

  /** The readers of peers' pages, by the names that peers have as sources. */
  get readers(): ReadonlyMap<string, Readers> {
    return new Map(
      this.peers.flatMap(({ spec: { name, readers } }) =>
        readers === null ? [] : [[sourceOfPeer(name), readersOf(readers)] as const],
      ),
    )
  }

  /** Our own index and the peers as one. */
  engine(own: Pick<Engine, "search">, pages: () => Promise<number>): Pick<Engine, "search"> {
    const { mostHops, rules } = this.#options
    return federatedEngine(own, {
      peers: this.peers,
      mostHops,
      rules,
      pages,
      onAnswer: (peer, state) => this.#count(peer, state),
      onHit: ({ url, source }) => {
        const peer = peerOfSource(source)
        if (peer !== null) this.#holders.set(url, peer, 2 * url.length)
      },
    })
  }

  /** Maximum number of hops: calls that have been handed on this many times are not handed on again. */
  get mostHops(): number {
    return this.#options.mostHops
  }

  /** The peer that recently returned this page; `null` if none did. */
  holderOf(url: PageUrl): Peer | null {
    const name = this.#holders.get(url)
    return this.peers.find(({ spec }) => spec.name === name) ?? null
  }

  /** Problems with peers, as text for people. */
  warnings(): readonly string[] {
    return this.peers.flatMap(({ spec, outage }) =>
      outage === null ? [] : [`The peer ${spec.name} ${outage}. Searches continue without its pages.`],
    )
  }

  counts(): readonly PeerCounts[] {
    return this.peers.map(({ spec: { name }, outage }) => ({
      name,
      isUp: outage === null,
      asked: this.#asked.get(name) ?? new Map<PeerState, number>(),
    }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer[Symbol.asyncDispose]()))
  }

  #count(peer: string, state: PeerState): void {
    let counts = this.#asked.get(peer)
    if (!counts) this.#asked.set(peer, (counts = new Map<PeerState, number>()))
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
}
