/** A body that is being received. */
interface Body {
  bytes: number
  readonly giveUp: () => void
}

/**
 * Bodies that have not fully arrived: what a slow sender has sent so far stays in memory, with or without a key. When
 * these bodies take too much memory together, the oldest one is dropped.
 */
export class ArrivingBodies {
  /** Maximum number of bytes that all of these bodies together may take. */
  most: number
  /** The bodies, in the order in which they started to arrive. */
  readonly #bodies = new Set<Body>()
  #bytes = 0
  #givenUp = 0

  /** @param most maximum number of bytes that all of these bodies together may take */
  constructor(most: number) {
    this.most = most
  }

  /** Total size of these bodies, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of bodies dropped since startup. */
  get givenUp(): number {
    return this.#givenUp
  }

  /** @param giveUp stops reading this body */
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

/** The limit until the settings have been read. */
const MOST = 64 * 1024 * 1024

/** All arriving bodies of this process, on any door and listener. */
export const bodiesOfProcess = new ArrivingBodies(MOST)
