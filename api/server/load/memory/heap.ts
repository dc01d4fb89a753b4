import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"

/** Beyond this share of what V8 may take it collects garbage over and over, and the process ends at all of it. */
const FULL_SHARE = 0.85
/** What a collection found counts for so long: a process that refuses everything may have none that finds otherwise. */
const KNOWN_MS = 5000

/** What a collection of garbage left. */
interface Collected {
  readonly bytes: number
  readonly at: number
}

/**
 * The heap of this process, as the last full collection of garbage left it: what V8 says in between is mostly garbage. Whoever
 * fills it ends the process, and with it the answers of all others, so it bounds what no account was told of.
 */
export class Heap implements Disposable {
  readonly total = Math.floor(getHeapStatistics().heap_size_limit * FULL_SHARE)
  readonly #now: () => number
  readonly #observer: PerformanceObserver
  #collected: Collected | null = null

  /** @param now milliseconds, never going back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#observer = new PerformanceObserver((list) => {
      const isFull = (entry: PerformanceEntry & { readonly detail?: unknown }) =>
        (entry.detail as { readonly kind?: number } | undefined)?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
      if (list.getEntries().some(isFull)) this.collected(getHeapStatistics().used_heap_size)
    })
    this.#observer.observe({ entryTypes: ["gc"] })
  }

  /** Bytes that lived on after the last full collection; 0 before the first. */
  get held(): number {
    return this.#collected?.bytes ?? 0
  }

  /** Whether nothing more should be begun. */
  get isFull(): boolean {
    if (this.#collected === null || this.#collected.bytes < this.total) return false
    return this.#now() - this.#collected.at < KNOWN_MS
  }

  /** A full collection has left so many bytes. */
  collected(bytes: number): void {
    this.#collected = { bytes, at: this.#now() }
  }

  [Symbol.dispose](): void {
    this.#observer.disconnect()
  }
}
