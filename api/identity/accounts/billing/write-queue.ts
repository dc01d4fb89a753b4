import { dirname } from "node:path"

import { isUnwritable, unwritableOr } from "#base/disk-space.ts"
import { pause } from "#base/flow/pause.ts"
import { isBusy } from "#base/store/sqlite/busy.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

import { ApiError } from "../../../errors.ts"

/** Pause before the next try, growing from the first value to the second. */
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 20
/** Maximum wait for another process's transaction; after that, the caller is asked to try again later. */
const PATIENCE_MS = 10_000
/** Longest wait of {@link WriteQueue.runNow} and {@link WriteQueue.idle}. */
const LAST_WAIT_MS = 1000

interface Entry {
  readonly work: () => Promise<unknown>
  readonly line: string | undefined
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** The error when a transaction failed because one piece of work in it failed. */
class WorkFailed extends Error {
  readonly entry: Entry

  constructor(entry: Entry, cause: unknown) {
    super("A write failed.", { cause })
    this.entry = entry
  }
}

/**
 * Writes to the state without blocking the event loop: all work queued in one turn of the event loop is committed in
 * one transaction, and while another process is writing, the queue waits with a timer, not in SQLite. When the promise
 * of a piece of work resolves, its transaction is in the file and survives `kill -9`. Work must await nothing but the
 * database, and may run more than once, because it is repeated when other work in its transaction throws.
 */
export class WriteQueue {
  readonly #db: StateStore
  /** Folder of the state; undefined if the state is on a server. */
  readonly #dir: string | undefined
  #waiting: Entry[] = []
  #scheduled = false
  #busySince: number | null = null
  #retryMs = FIRST_RETRY_MS
  /** Pause before the next transaction. */
  #pauseMs = 0

  /** @param db must not wait for locks: `patienceMs` is 0 */
  constructor(db: StateStore) {
    this.#db = db
    const file = db.location()
    this.#dir = file === null ? undefined : dirname(file)
  }

  /**
   * Runs `work` in the next transaction.
   * @param line Pieces of work on different lines share no rows that one of them writes and the other reads, so that a
   * distant server gets their statements together. Work on the same line, and work without a line, takes turns.
   * @throws ApiError 503 when another process keeps the file locked for too long
   */
  run<T>(work: () => Promise<T>, line?: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, line, resolve, reject })
      this.#schedule(0)
    })
  }

  /** Runs `work` in its own transaction immediately, for use when the process ends. */
  async runNow(work: () => Promise<void>): Promise<void> {
    await this.#db.patiently(() => transaction(this.#db, work), LAST_WAIT_MS)
  }

  /** Waits briefly until everything passed to {@link run} is written or refused, for use when the process ends. */
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
        return await allWorked(entries)
      })
      for (const entry of entries) entry.resolve(results.get(entry) as never)
    } catch (error) {
      if (!hasBegun && isBusy(error)) this.#later(entries)
      else if (error instanceof WorkFailed) this.#withoutIt(entries, error)
      else this.#rejectAll(entries, error)
    }
  }

  /** The failed work may have been written in part, so the transaction was rolled back; the rest of its work is repeated without the failed work. */
  #withoutIt(entries: readonly Entry[], { entry, cause }: WorkFailed): void {
    // The other pieces of work cannot be written either.
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

/** Runs the pieces of work in order; adjacent pieces on different lines run at the same time. @throws WorkFailed for the first that fails */
async function allWorked(entries: readonly Entry[]): Promise<ReadonlyMap<Entry, unknown>> {
  const results = new Map<Entry, unknown>()
  const inTurn = async (some: readonly Entry[]) => {
    for (const entry of some) results.set(entry, await worked(entry))
  }
  for (let at = 0; at < entries.length;) {
    let end = at + 1
    if (entries[at]!.line !== undefined)
      while (end < entries.length && entries[end]!.line !== undefined) end++
    const lines = Map.groupBy(entries.slice(at, end), ({ line }) => line)
    let failure: unknown
    // The transaction must not end while one of the lines still has a statement to send.
    await Promise.all(
      [...lines.values()].map((some) => inTurn(some).catch((error: unknown) => (failure ??= error))),
    )
    if (failure !== undefined) throw failure
    at = end
  }
  return results
}

async function worked(entry: Entry): Promise<unknown> {
  try {
    return await entry.work()
  } catch (error) {
    throw new WorkFailed(entry, error)
  }
}
