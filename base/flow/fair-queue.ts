/** The party on whose behalf an item waits: the id of a key, or anything else that is compared by identity. */
export type Party = object | string

/** Items that are waiting for their turn: parties take turns, and each party's items keep the order in which they were added. */
export class FairQueue<T> {
  /** The party whose turn is next comes first. */
  readonly #parties = new Map<Party, T[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The waiting items of each party, in the order of their turns. */
  get lines(): ReadonlyMap<Party, readonly T[]> {
    return this.#parties
  }

  push(party: Party, item: T): void {
    const waiting = this.#parties.get(party)
    if (waiting) waiting.push(item)
    else this.#parties.set(party, [item])
    this.#length += 1
  }

  /**
   * Takes the first item of the party whose turn it is.
   * @param mayTake a party for which this returns false keeps its turn for later
   */
  shift(mayTake: (party: Party) => boolean = () => true): T | undefined {
    for (const [party, waiting] of this.#parties) {
      if (!mayTake(party)) continue
      const item = waiting.shift()
      this.#length -= 1
      // The party moves to the end of the round.
      this.#parties.delete(party)
      if (waiting.length > 0) this.#parties.set(party, waiting)
      return item
    }
    return undefined
  }

  /** The first item of the party whose turn it is, without taking it. */
  peek(): T | undefined {
    const [next] = this.#parties.values()
    return next?.[0]
  }

  /** Removes an item that is no longer waiting. @returns false if the item is not in the queue */
  delete(party: Party, item: T): boolean {
    const waiting = this.#parties.get(party)
    const at = waiting?.indexOf(item) ?? -1
    if (waiting === undefined || at < 0) return false
    waiting.splice(at, 1)
    this.#length -= 1
    if (waiting.length === 0) this.#parties.delete(party)
    return true
  }

  /** Takes all items. */
  clear(): T[] {
    const all = [...this.#parties.values()].flat()
    this.#parties.clear()
    this.#length = 0
    return all
  }
}
