import { dirname } from "node:path"

import { isUnwritable, unwritableOr } from "#base/disk-space.ts"
import { isBusy } from "#base/store/busy.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

import { ApiError } from "../../../errors.ts"

/** Pause before the next try, growing up to the second one. */
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 20
/** Longest wait for another process's transaction; whoever waits is told to come back. */
const PATIENCE_MS = 10_000
/** Longest wait of {@link WriteQueue.runNow}. */
const LAST_WAIT_MS = 1000

interface Entry {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes to `state.db` without holding up the event loop: what is asked for in one turn lands in one transaction, and
 * while another process writes the queue waits by a timer, not in SQLite. When a work's promise resolves, its
 * transaction is in the file and survives `kill -9`.
 *
 * A work is synchronous and touches nothing but the database: it may be done anew when another of its transaction throws.
 */
export class WriteQueue {
  readonly #db: StateStore
  /** Its folder; undefined: it is on a server. */
  readonly #dir: string | undefined
  #waiting: Entry[] = []
  #scheduled = false
  #busySince: number | null = null
  #retryMs = FIRST_RETRY_MS

  /** @param db a connection that waits for no lock: `pragma busy_timeout = 0` */
  constructor(db: StateStore) {
    this.#db = db
    const file = db.location()
    this.#dir = file === null ? undefined : dirname(file)
  }

  /**
   * Does `work` in the next transaction.
   * @throws ApiError 503 when another process holds the file for too long
   */
  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      this.#schedule(0)
    })
  }

  /** Does `work` in a transaction of its own at once. For the end of the process: it waits for others, and all wait for it. */
  runNow(work: () => void): void {
    this.#db.exec(`pragma busy_timeout = ${LAST_WAIT_MS}`)
    transaction(this.#db, work)
  }

  #schedule(ms: number): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const flush = () => {
      this.#scheduled = false
      this.#flush()
    }
    if (ms === 0) setImmediate(flush)
    else setTimeout(flush, ms)
  }

  #flush(): void {
    const entries = this.#waiting
    this.#waiting = []
    try {
      this.#db.exec("begin immediate")
    } catch (error) {
      if (!isBusy(error)) return this.#rejectAll(entries, error)
      this.#later(entries)
      return
    }
    this.#busySince = null
    this.#retryMs = FIRST_RETRY_MS
    const results: unknown[] = []
    for (const entry of entries) {
      try {
        results.push(entry.work())
      } catch (error) {
        // Half of it may be written: the others are done anew without it.
        if (this.#db.isTransaction) this.#db.exec("rollback")
        // Nor can the others be written.
        if (isUnwritable(error, this.#dir)) return this.#rejectAll(entries, error)
        entry.reject(error)
        this.#waiting = [...entries.filter((other) => other !== entry), ...this.#waiting]
        if (this.#waiting.length > 0) this.#schedule(0)
        return
      }
    }
    try {
      this.#db.exec("commit")
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("rollback")
      this.#rejectAll(entries, error)
      return
    }
    for (const [index, entry] of entries.entries()) entry.resolve(results[index] as never)
  }

  #later(entries: Entry[]): void {
    this.#busySince ??= performance.now()
    if (performance.now() - this.#busySince > PATIENCE_MS) {
      this.#busySince = null
      this.#rejectAll(entries, new ApiError(503, "The server is busy writing. Try again shortly."))
      return
    }
    this.#waiting = [...entries, ...this.#waiting]
    this.#schedule(this.#retryMs)
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS)
  }

  #rejectAll(entries: readonly Entry[], error: unknown): void {
    const told = this.#dir === undefined ? error : unwritableOr(error, this.#dir)
    for (const { reject } of entries) reject(told)
  }
}
