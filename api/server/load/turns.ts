/** A request that is waiting to start. */
type Begin = () => void

/** The requests waiting in one lane. */
interface Lane {
  /** Requests that are the first on their connection, or that were sent after the previous response. */
  readonly fresh: Begin[]
  /** Requests that were sent before the previous one was answered. */
  readonly ahead: Begin[]
}

/** Milliseconds for starting requests in one turn of the event loop: enough for a few complete requests, or the beginnings of many. At least one request is always started. */
const SLICE_MS = 2
/** Maximum number of requests started in one turn. */
const MOST_OF_TURN = 16

/**
 * Starts a few requests in each turn of the event loop, with lanes taking turns. Each caller has one lane, so a caller
 * who floods the process delays others by only a few requests. Between turns, the loop accepts new connections and
 * reads data from the others.
 *
 * A request that is alone in its turn starts immediately.
 */
export class Turns {
  /** Lanes in the order in which they are served. */
  readonly #lanes = new Map<string, Lane>()
  #waiting = 0
  #isTaken = false
  #sliceEnd = 0

  /** Number of requests that are waiting for their turn. */
  get waiting(): number {
    return this.#waiting
  }

  /** @param isAhead whether the request was sent before the previous one on its connection was answered */
  take(lane: string, isAhead: boolean, begin: Begin): void {
    if (!this.#isTaken) {
      this.#isTaken = true
      setImmediate(this.#turn)
      begin()
      return
    }
    const line = this.#lanes.get(lane) ?? { fresh: [], ahead: [] }
    this.#lanes.set(lane, line)
    line[isAhead ? "ahead" : "fresh"].push(begin)
    this.#waiting++
  }

  readonly #turn = (): void => {
    if (this.#waiting === 0) {
      this.#isTaken = false
      return
    }
    this.#sliceEnd = performance.now() + SLICE_MS
    // All requests start in the next turn, one after another: each request's synchronous work is done before the next
    // request begins.
    setImmediate(this.#turn)
    for (let more = 1; more < MOST_OF_TURN && more < this.#waiting; more++) setImmediate(this.#oneMore)
    this.#beginNext()
  }

  readonly #oneMore = (): void => {
    if (this.#waiting > 0 && performance.now() < this.#sliceEnd) this.#beginNext()
  }

  #beginNext(): void {
    const [first] = this.#lanes
    const [lane, line] = first!
    const begin = line.fresh.shift() ?? line.ahead.shift()!
    this.#waiting--
    this.#lanes.delete(lane)
    // The lane goes to the back of the queue.
    if (line.fresh.length + line.ahead.length > 0) this.#lanes.set(lane, line)
    begin()
  }
}
