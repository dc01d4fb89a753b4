/**
 * Bytes that many works share; each takes them when it needs them. When none are left, a work waits until others give some back;
 * the work that began first never waits. So one of them can always finish, and all together hold no more than `total` plus the
 * bytes of that one.
 */
export class QueuedBudget {
  readonly total: number
  #held = 0
  /** In the order in which they began. */
  readonly #accounts = new Set<QueuedAccount>()

  constructor(total: number) {
    this.total = total
  }

  get held(): number {
    return this.#held
  }

  /** The caller has to close it: others wait for it. */
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

/** The share of one work in a {@link QueuedBudget}. */
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

  /** @returns null when the bytes are there at once, else when they are; a closed account waits for nothing. */
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

  /** Gives back a part, at most the held bytes. */
  release(bytes: number): void {
    const given = Math.min(bytes, this.#held)
    this.#held -= given
    this.#shared.add(-given)
  }

  /** Begins what waits, where there is room for it now. */
  wake(): void {
    const waiting = this.#waiting
    if (waiting === null || !this.#shared.hasRoom(waiting.bytes)) return
    this.#waiting = null
    this.#take(waiting.bytes)
    waiting.begin()
  }

  /** Gives back all. */
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
