/**
 * Bytes shared by many pieces of work; each takes bytes when it needs them. If none are left, it waits until others
 * release some, but the one that began first never waits. So one of them can always finish, and all together use at
 * most `total` plus the bytes of that one.
 */
export class QueuedBudget {
  readonly total: number
  #held = 0
  /** The accounts, in the order in which they were opened. */
  readonly #accounts = new Set<QueuedAccount>()

  constructor(total: number) {
    this.total = total
  }

  get held(): number {
    return this.#held
  }

  /** Opens an account, which the caller has to close, because others wait for it. */
  open(): QueuedAccount {
    const account = new QueuedAccount({
      hasRoom: (bytes) => this.#isFirst(account) || this.#held + bytes <= this.total,
      add: (bytes) => {
        this.#held += bytes
        if (bytes < 0) this.#wake()
      },
      close: () => {
        this.#accounts.delete(account)
        this.#wake()
      },
    })
    this.#accounts.add(account)
    return account
  }

  #isFirst(account: QueuedAccount): boolean {
    const [first] = this.#accounts
    return first === account
  }

  #wake(): void {
    for (const account of this.#accounts) account.wake()
  }
}

interface Shared {
  hasRoom(bytes: number): boolean
  add(bytes: number): void
  close(): void
}

/** One piece of work's share of a {@link QueuedBudget}. */
export class QueuedAccount implements Disposable {
  readonly #shared: Shared
  #held = 0
  #waiting: { bytes: number; readonly begun: Promise<void>; readonly begin: () => void } | null = null
  #isClosed = false

  constructor(shared: Shared) {
    this.#shared = shared
  }

  get held(): number {
    return this.#held
  }

  /** @returns null if the bytes are available at once, otherwise a promise that resolves when they are; a closed account never waits */
  reserve(bytes: number): Promise<void> | null {
    if (this.#isClosed) return null
    if (this.#waiting !== null) {
      this.#waiting.bytes += bytes
      return this.#waiting.begun
    }
    if (this.#shared.hasRoom(bytes)) {
      this.#take(bytes)
      return null
    }
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    this.#waiting = { bytes, begun, begin }
    return begun
  }

  /** Releases some bytes, at most the number held. */
  release(bytes: number): void {
    const given = Math.min(bytes, this.#held)
    this.#held -= given
    this.#shared.add(-given)
  }

  /** Resumes waiting work for which there is now room. */
  wake(): void {
    const waiting = this.#waiting
    if (waiting === null || !this.#shared.hasRoom(waiting.bytes)) return
    this.#waiting = null
    this.#take(waiting.bytes)
    waiting.begin()
  }

  /** Releases everything. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting?.begin()
    this.#waiting = null
    this.release(this.#held)
    this.#shared.close()
  }

  #take(bytes: number): void {
    this.#held += bytes
    this.#shared.add(bytes)
  }
}
