/** A body that is being read. */
interface Body {
  bytes: number
  readonly giveUp: () => void
}

/**
 * Bodies that have not fully arrived: a slow sender keeps its data in memory, with or without a key. When these
 * bodies take too much together, the oldest one is dropped.
 */
export class ArrivingBodies {
  /** Bytes that they may hold, all together. */
  most: number
  /** In the order they began. */
  readonly #bodies = new Set<Body>()
  #bytes = 0
  #givenUp = 0

  /** @param most bytes that they may hold, all together */
  constructor(most: number) {
    this.most = most
  }

  /** Bytes that they hold. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many were given up since the start. */
  get givenUp(): number {
    return this.#givenUp
  }

  /** @param giveUp ends its reading */
  begin(giveUp: () => void): { add(bytes: number): void; end(): void } {
    const body: Body = { bytes: 0, giveUp }
    this.#bodies.add(body)
    return {
      add: (bytes) => {
        if (!this.#bodies.has(body)) return
        body.bytes += bytes
        this.#bytes += bytes
        for (const oldest of this.#bodies) {
          if (this.#bytes <= this.most) break
          this.#end(oldest)
          this.#givenUp++
          oldest.giveUp()
        }
      },
      end: () => this.#end(body),
    }
  }

  #end(body: Body): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes
  }
}

/** Until the settings are read. */
const MOST = 64 * 1024 * 1024

/** All arriving bodies of this process, on any door and listener. */
export const bodiesOfProcess = new ArrivingBodies(MOST)
