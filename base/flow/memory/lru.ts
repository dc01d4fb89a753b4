/** Keeps the most recently used values. */
export class Lru<K, V> {
  readonly #capacity: number
  readonly #values = new Map<K, V>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  /** The values, least recently used first. */
  values(): Iterable<V> {
    return this.#values.values()
  }

  set(key: K, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#capacity) this.#values.delete(this.#values.keys().next().value!)
  }
  delete(key: K): void {
    this.#values.delete(key)
  }
}
