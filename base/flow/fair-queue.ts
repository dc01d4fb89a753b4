/** Whom a thing waits for: the id of a key, or anything else that is compared by identity. */
export type Party = object | string

/** Things that wait their turn: parties take turns, and each of them has its own in the order it came. */
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
   * Takes the first thing of the party whose turn it is.
   * @param mayTake parties for which this is false keep their turn for later
   */
  shift(mayTake: (party: Party) => boolean = () => true): T | undefined {
    for (const [party, waiting] of this.#parties) {
      if (!mayTake(party)) continue
      const item = waiting.shift()
      this.#length -= 1
      // To the end of the round.
      this.#parties.delete(party)
      if (waiting.length > 0) this.#parties.set(party, waiting)
      return item
    }
    return undefined
  }

  /** The first thing of the party whose turn it is, which stays. */
  peek(): T | undefined {
    const [next] = this.#parties.values()
    return next?.[0]
  }

  /** Takes out a thing that waits no longer. @returns false when it is not there. */
  delete(party: Party, item: T): boolean {
    const waiting = this.#parties.get(party)
    const at = waiting?.indexOf(item) ?? -1
    if (waiting === undefined || at < 0) return false
    waiting.splice(at, 1)
    this.#length -= 1
    if (waiting.length === 0) this.#parties.delete(party)
    return true
  }

  /** Takes out all there is. */
  clear(): T[] {
    const all = [...this.#parties.values()].flat()
    this.#parties.clear()
    this.#length = 0
    return all
  }
}
