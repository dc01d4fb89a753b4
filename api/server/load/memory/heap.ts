import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"

/** Above this share of V8's limit, V8 collects garbage continuously; at the limit itself, the process dies. */
const FULL_SHARE = 0.85
/** Milliseconds for which a collection's result is valid: a process that refuses everything might never collect garbage again. */
const KNOWN_MS = 5000

/** The result of a garbage collection. */
interface Collected {
  readonly bytes: number
  readonly at: number
}

/**
 * The heap of this process after the last full garbage collection: V8's figures in between are mostly garbage. A caller
 * that fills the heap takes down the process and all other answers with it, so this class limits the memory that no
 * account covers.
 */
export class Heap implements Disposable {
  readonly total = Math.floor(getHeapStatistics().heap_size_limit * FULL_SHARE)
  readonly #now: () => number
  readonly #observer: PerformanceObserver
  #collected: Collected | null = null

  /** @param now milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#observer = new PerformanceObserver((list) => {
      const isFull = (entry: PerformanceEntry & { readonly detail?: unknown }) =>
        (entry.detail as { readonly kind?: number } | undefined)?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
      if (list.getEntries().some(isFull)) this.collected(getHeapStatistics().used_heap_size)
    })
    this.#observer.observe({ entryTypes: ["gc"] })
  }

  /** Bytes that survived the last full collection; 0 before the first. */
  get held(): number {
    return this.#collected?.bytes ?? 0
  }

  /** Whether new work should be refused. */
  get isFull(): boolean {
    if (this.#collected === null || this.#collected.bytes < this.total) return false
    return this.#now() - this.#collected.at < KNOWN_MS
  }

  /** Records how many bytes survived a full collection. */
  collected(bytes: number): void {
    this.#collected = { bytes, at: this.#now() }
  }

  [Symbol.dispose](): void {
    this.#observer.disconnect()
  }
}
