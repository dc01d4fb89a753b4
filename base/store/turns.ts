import { AsyncLocalStorage } from "node:async_hooks"
import { Serial } from "../flow/serial.ts"
import { sharing } from "../flow/sharing.ts"

const READS = /^\s*(?:select|pragma|explain)\b/i
const READS_NAMED = /^\s*with\b(?![\s\S]*\b(?:insert|update|delete)\b)/i

/** Whether a statement changes nothing, so that it does not wait for its turn among writers. */
export const isRead = (sql: string): boolean => READS.test(sql) || READS_NAMED.test(sql)

/** A transaction, or work that comes before all statements, and the object that runs it. */
interface Scope {
  readonly of: Turns
  readonly kind: "first" | "transaction"
  readonly outer: Scope | undefined
  isOver: boolean
}

/** The scopes that the running code is in, across everything it awaits. */
const scopes = new AsyncLocalStorage<Scope>()

/**
 * The order of statements on one store: transactions run one after another, other statements never run in the middle of
 * one, and migrations run before both. The asynchronous context of a statement shows whether it belongs to the open
 * transaction.
 */
export class Turns {
  /** Transactions, and statements waiting for them. */
  readonly #line = new Serial()
  /** Writers to the same file, including those from other stores. */
  readonly #writers: Serial
  readonly #due: (() => Promise<void>)[] = []
  readonly #doNext = sharing(() => this.#doFirst())

  constructor(writers = new Serial()) {
    this.#writers = writers
  }

  /** Runs `write` when no other store in this thread is writing to the file. */
  async write<T>(write: () => Promise<T>): Promise<T> {
    if (this.#isIn((scope) => scope.of.#writers === this.#writers && scope.of !== this))
      throw new Error(
        "Deadlock: this write would wait for another store's open transaction on the same file, which is waiting for this write.",
      )
    return await this.#writers.run(write)
  }

  /** Whether no store in this thread is writing to the file. */
  get isUnwritten(): boolean {
    return this.#writers.isIdle
  }

  /** Whether the running code is in a transaction of this store. */
  get isInside(): boolean {
    return this.#isIn((scope) => scope.of === this)
  }

  /** Whether a statement may run at once; otherwise it goes through {@link pass}. */
  get isFree(): boolean {
    return (this.#line.isIdle && !this.isDue) || this.isInside
  }

  /** Whether other work has to run first; see {@link ready}. */
  get isDue(): boolean {
    // An open transaction goes first: pending work waits until it ends.
    return this.#due.length > 0 && !this.#isFirst && !this.isInside
  }

  /** Runs a statement outside all transactions, after earlier requests have finished. */
  async pass<T>(statement: () => T | Promise<T>): Promise<T> {
    if (this.isDue) await this.ready()
    return await this.#line.run(async () => statement())
  }

  /** Runs `work` as a transaction: other statements wait until it ends. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.isInside) throw new Error("A transaction of this store is open already.")
    if (this.isDue) await this.ready()
    return await this.#line.run(() => this.#inScope("transaction", work))
  }

  first(work: () => Promise<void>): void {
    this.#due.push(work)
  }

  async ready(): Promise<void> {
    if (this.#isFirst) return
    while (this.#due.length > 0) await this.#doNext()
  }

  async #doFirst(): Promise<void> {
    await this.#inScope("first", this.#due[0]!)
    this.#due.shift()
  }

  async #inScope<T>(kind: Scope["kind"], work: () => Promise<T>): Promise<T> {
    const scope: Scope = { of: this, kind, outer: scopes.getStore(), isOver: false }
    try {
      return await scopes.run(scope, work)
    } finally {
      // From now on, work that was started inside the transaction and not awaited counts as outside it.
      scope.isOver = true
    }
  }

  get #isFirst(): boolean {
    return this.#isIn((scope) => scope.of === this, "first")
  }

  #isIn(isMeant: (scope: Scope) => boolean, kind: Scope["kind"] = "transaction"): boolean {
    for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer)
      if (scope.kind === kind && !scope.isOver && isMeant(scope)) return true
    return false
  }
}
