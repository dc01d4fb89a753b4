/** A request that waits to be begun. */
type Begin = () => void

/** The requests waiting in one lane. */
interface Lane {
  /** The first request of a connection, or the next of one that waited for its answers. */
  readonly fresh: Begin[]
  /** Requests that were sent ahead of the answer before them. */
  readonly ahead: Begin[]
}

/** Requests are begun for so long in one turn of the loop, the first in any case: a few whole ones, or the beginnings of many. */
const SLICE_MS = 2
/** Requests begun in one turn, at most. */
const MOST_OF_TURN = 16

/**
 * Begins a few requests in each turn of the event loop, lanes taking turns. Each caller has one lane, so a caller who
 * floods the process delays another by only a few requests. Between two turns the loop takes new connections and
 * reads data from the others.
 *
 * A request that is alone in its turn begins at once.
 */
export class Turns {
  /** Lanes in the order in which they are served. */
  readonly #lanes = new Map<string, Lane>()
  #waiting = 0
  #isTaken = false
  #sliceEnd = 0

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting
  }

  /** @param isAhead whether it was sent before the answer to the request before it on its connection */
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
    // All in the next turn, one after the other: the synchronous work of a request is done before the next begins.
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
    // Behind the others.
    if (line.fresh.length + line.ahead.length > 0) this.#lanes.set(lane, line)
    begin()
  }
}
