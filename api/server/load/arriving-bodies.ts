/** A body that is being received. */
interface Body {
  bytes: number
  readonly giveUp: () => void
}

/**
 * Bodies that have not fully arrived: a slow sender keeps its data in memory, with or without a key. When these bodies
 * together take too much, the oldest one is dropped.
 */
export class ArrivingBodies {
  /** Maximum number of bytes that they may hold together. */
  most: number
  /** In the order in which they started. */
  readonly #bodies = new Set<Body>()
  #bytes = 0
  #givenUp = 0

  /** @param most maximum number of bytes that they may hold together */
  constructor(most: number) {
    this.most = most
  }

  /** Number of bytes in them. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of bodies dropped since startup. */
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

/** Used until the settings are read. */
const MOST = 64 * 1024 * 1024

/** All arriving bodies of this process, on any door and listener. */
export const bodiesOfProcess = new ArrivingBodies(MOST)
