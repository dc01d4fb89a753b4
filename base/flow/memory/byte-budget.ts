/**
 * Bytes shared by many pieces of work: each reserves the bytes that it is about to use, and releases them when it is
 * done. A budget can be a child of another: a reservation then counts against both, and is refused if either has too
 * little left.
 */
export class ByteBudget {
  readonly #total: () => number
  readonly #parent: ByteBudget | null
  readonly #beside: () => number
  #held = 0
  #refused = 0

  /**
   * @param total number of bytes; a function if the number changes
   * @param parent the budget that this one is part of
   * @param beside returns the bytes in use without a reservation, which count as well; must be cheap to call
   */
  constructor(
    total: number | (() => number),
    {
      parent = null,
      beside = () => 0,
    }: { readonly parent?: ByteBudget | null; readonly beside?: () => number } = {},
  ) {
    this.#total = typeof total === "number" ? () => total : total
    this.#parent = parent
    this.#beside = beside
  }

  get total(): number {
    return this.#total()
  }

  /** Reserved bytes plus bytes in use without a reservation. */
  get held(): number {
    return this.#held + this.#beside()
  }

  /** Bytes that can still be reserved, here and in the parent. */
  get left(): number {
    return Math.max(0, Math.min(this.total - this.held, this.#parent?.left ?? Infinity))
  }

  /** Number of reservations refused since startup for lack of room here or in the parent. */
  get refused(): number {
    return this.#refused
  }

  /** An account that may hold at most `limit` bytes of the budget. The caller closes it. */
  open(limit = this.total): ByteAccount {
    return new ByteAccount(limit, (bytes) => this.#take(bytes))
  }

  #take(bytes: number): boolean {
    if (bytes > this.left) {
      this.#refused++
      return false
    }
    this.#add(bytes)
    return true
  }

  #add(bytes: number): void {
    this.#held += bytes
    if (this.#parent !== null) this.#parent.#add(bytes)
  }
}

/** One piece of work's share of a {@link ByteBudget}. */
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

  /** @returns false, without a reservation, if the account or the budget has too little left, or the account is closed. */
  reserve(bytes: number): boolean {
    if (this.#isClosed || this.#held + bytes > this.#limit || !this.#take(bytes)) return false
    this.#held += bytes
    return true
  }

  /** Releases some bytes, at most the number reserved. */
  release(bytes: number): void {
    const given = Math.min(bytes, this.#held)
    this.#held -= given
    this.#take(-given)
  }

  /** Releases everything; nothing more can be reserved. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.release(this.#held)
  }
}
