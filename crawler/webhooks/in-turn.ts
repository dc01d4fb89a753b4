/** Work for receivers, some of them at the same time, for each one piece after the other. */
export class InTurn {
  readonly #most: number
  readonly #onError: (error: unknown) => void
  readonly #under = new Map<string, Promise<void>>()

  /** @param most receivers that are worked for at the same time */
  constructor(most: number, onError: (error: unknown) => void) {
    this.#most = most
    this.#onError = onError
  }

  /** Receivers that are being worked for. */
  get busy(): ReadonlySet<string> {
    return new Set(this.#under.keys())
  }

  /** For how many more there is room. */
  get room(): number {
    return this.#most - this.#under.size
  }

  /** Begins a piece of work for a receiver that is not busy. */
  begin(receiver: string, work: () => Promise<void>): void {
    const done = work()
      .catch(this.#onError)
      .finally(() => this.#under.delete(receiver))
    this.#under.set(receiver, done)
  }

  /** Resolves when all that was begun has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#under.values())
  }
}
