/** Bytes that many works share: each reserves from it what it is about to hold, and gives it back when it is done. */
export class ByteBudget {
  readonly total: number
  #left: number

  constructor(total: number) {
    this.total = total
    this.#left = total
  }

  get left(): number {
    return this.#left
  }

  /** An account that may hold `limit` bytes of it at most. Whoever opens it closes it. */
  open(limit = this.total): ByteAccount {
    return new ByteAccount(limit, (bytes) => {
      if (bytes > this.#left) return false
      this.#left -= bytes
      return true
    })
  }
}

/** What one work holds of a {@link ByteBudget}. */
export class ByteAccount implements Disposable {
  readonly #limit: number
  readonly #take: (bytes: number) => boolean
  #held = 0
  #isClosed = false

  constructor(limit: number, take: (bytes: number) => boolean) {
    this.#limit = limit
    this.#take = take
  }

  get held(): number {
    return this.#held
  }

  /** @returns false, and nothing is reserved, when the account or the budget has too little left, or it is closed. */
  reserve(bytes: number): boolean {
    if (this.#isClosed || this.#held + bytes > this.#limit || !this.#take(bytes)) return false
    this.#held += bytes
    return true
  }

  /** Gives back a part, at most what is held. */
  release(bytes: number): void {
    const given = Math.min(bytes, this.#held)
    this.#held -= given
    this.#take(-given)
  }

  /** Gives back all; nothing more can be reserved. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.release(this.#held)
  }
}
