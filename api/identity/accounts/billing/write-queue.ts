import { dirname } from "node:path"

import { isUnwritable, unwritableOr } from "#base/disk-space.ts"
import { pause } from "#base/flow/pause.ts"
import { isBusy } from "#base/store/sqlite/busy.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

import { ApiError } from "../../../errors.ts"

/** Pause before the next try, growing up to the second one. */
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 20
/** Longest wait for another process's transaction; whoever waits is told to come back. */
const PATIENCE_MS = 10_000
/** Longest wait of {@link WriteQueue.runNow} and {@link WriteQueue.idle}. */
const LAST_WAIT_MS = 1000

interface Entry {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** One work of a transaction failed, and so the transaction. */
class WorkFailed extends Error {
  readonly entry: Entry

  constructor(entry: Entry, cause: unknown) {
    super("A write failed.", { cause })
    this.entry = entry
  }
}

/**
 * Writes to the state without holding up the event loop: what is asked for in one turn lands in one transaction, and
 * while another process writes the queue waits by a timer, not in SQLite. When a work's promise resolves, its
 * transaction is in the file and survives `kill -9`.
 *
 * A work awaits nothing but the database: it may be done anew when another of its transaction throws.
 */
export class WriteQueue {
  readonly #db: StateStore
  /** Its folder; undefined: it is on a server. */
  readonly #dir: string | undefined
  #waiting: Entry[] = []
  #scheduled = false
  #busySince: number | null = null
  #retryMs = FIRST_RETRY_MS
  /** Before the next transaction. */
  #pauseMs = 0

  /** @param db waits for no lock: `patienceMs` is 0 */
  constructor(db: StateStore) {
    this.#db = db
    const file = db.location()
    this.#dir = file === null ? undefined : dirname(file)
  }

  /**
   * Does `work` in the next transaction.
   * @throws ApiError 503 when another process holds the file for too long
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      this.#schedule(0)
    })
  }

  /** Does `work` in a transaction of its own at once, for the end of the process. */
  async runNow(work: () => Promise<void>): Promise<void> {
    await this.#db.patiently(() => transaction(this.#db, work), LAST_WAIT_MS)
  }

  /** Waits until all that was given to {@link run} is written or refused, for a moment at most: for the end of the process. */
  async idle(): Promise<void> {
    const late = performance.now() + LAST_WAIT_MS
    while (this.#scheduled && performance.now() < late) await pause(FIRST_RETRY_MS)
  }

  #schedule(ms: number): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // Waits for the current transaction, so that writes arriving during it share the next one.
    const flush = async () => {
      await this.#flush()
      this.#scheduled = false
      if (this.#waiting.length > 0) this.#schedule(this.#pauseMs)
    }
    if (ms === 0) setImmediate(() => void flush())
    else setTimeout(() => void flush(), ms)
  }

  async #flush(): Promise<void> {
    const entries = this.#waiting
    this.#waiting = []
    this.#pauseMs = 0
    let hasBegun = false
    try {
      const results = await transaction(this.#db, async () => {
        hasBegun = true
        this.#busySince = null
        this.#retryMs = FIRST_RETRY_MS
        const done: unknown[] = []
        for (const entry of entries) done.push(await worked(entry))
        return done
      })
      for (const [index, entry] of entries.entries()) entry.resolve(results[index] as never)
    } catch (error) {
      if (!hasBegun && isBusy(error)) this.#later(entries)
      else if (error instanceof WorkFailed) this.#withoutIt(entries, error)
      else this.#rejectAll(entries, error)
    }
  }

  /** Half of the failed work may have been written: the transaction was rolled back, and the others are done anew without it. */
  #withoutIt(entries: readonly Entry[], { entry, cause }: WorkFailed): void {
    // Nor can the others be written.
    if (isUnwritable(cause, this.#dir)) return this.#rejectAll(entries, cause)
    entry.reject(cause)
    this.#waiting = [...entries.filter((other) => other !== entry), ...this.#waiting]
  }

  #later(entries: Entry[]): void {
    this.#busySince ??= performance.now()
    if (performance.now() - this.#busySince > PATIENCE_MS) {
      this.#busySince = null
      this.#rejectAll(entries, new ApiError(503, "The server is busy writing. Try again shortly."))
      return
    }
    this.#waiting = [...entries, ...this.#waiting]
    this.#pauseMs = this.#retryMs
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS)
  }

  #rejectAll(entries: readonly Entry[], error: unknown): void {
    const told = this.#dir === undefined ? error : unwritableOr(error, this.#dir)
    for (const { reject } of entries) reject(told)
  }
}

async function worked(entry: Entry): Promise<unknown> {
  try {
    return await entry.work()
  } catch (error) {
    throw new WorkFailed(entry, error)
  }
}
