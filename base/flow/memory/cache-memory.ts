/** Bytes that all caches of one kind use in this process, and their limit. */
export interface CacheUse {
  readonly held: number
  readonly total: number
}

/** Overhead of an entry: the value and key objects, and their places in two tables. */
const ENTRY_BYTES = 200

const kinds = new Map<string, CacheUse>()

/** Adds the caches of a kind to {@link cacheUses}. */
export function noteCache(kind: string, use: CacheUse): void {
  kinds.set(kind, use)
}

/** The use of all caches that this process has loaded, by kind; each entry reports its current state. */
export const cacheUses = (): ReadonlyMap<string, CacheUse> => kinds

interface Entry {
  readonly bytes: number
  readonly forget: () => void
}

/**
 * Memory that all caches of one kind in this process share. The least recently used value is dropped first, whichever
 * cache it is in, so the caches of a replaced index make room automatically.
 */
export class CacheMemory implements CacheUse {
  readonly total: number
  readonly #entries = new Set<Entry>()
  #held = 0

  /** @param kind the name used in the metrics */
  constructor(kind: string, total: number) {
    this.total = total
    noteCache(kind, this)
  }

  get held(): number {
    return this.#held
  }

  keep(entry: Entry): void {
    this.#entries.add(entry)
    this.#held += entry.bytes
    for (const oldest of this.#entries) {
      if (this.#held <= this.total) break
      this.drop(oldest)
      oldest.forget()
    }
  }

  /** Marks an entry as used. */
  touch(entry: Entry): void {
    this.#entries.delete(entry)
    this.#entries.add(entry)
  }

  drop(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#held -= entry.bytes
  }
}

/** Keeps the most recently used values within the shared memory. */
export class ByteLru<K, V> {
  readonly #memory: CacheMemory
  readonly #values = new Map<K, Entry & { readonly value: V }>()

  constructor(memory: CacheMemory) {
    this.#memory = memory
  }

  get(key: K): V | undefined {
    const kept = this.#values.get(key)
    if (kept === undefined) return undefined
    this.#memory.touch(kept)
    return kept.value
  }

  /** @param bytes size of the key and the value; an entry larger than the whole memory is not kept */
  set(key: K, value: V, bytes: number): void {
    this.delete(key)
    if (bytes + ENTRY_BYTES > this.#memory.total) return
    const kept = { value, bytes: bytes + ENTRY_BYTES, forget: () => void this.#values.delete(key) }
    this.#values.set(key, kept)
    this.#memory.keep(kept)
  }

  delete(key: K): void {
    const kept = this.#values.get(key)
    if (kept === undefined) return
    this.#values.delete(key)
    this.#memory.drop(kept)
  }

  clear(): void {
    for (const kept of this.#values.values()) this.#memory.drop(kept)
    this.#values.clear()
  }
}
