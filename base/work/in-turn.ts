import { FairPool } from "#base/flow/fair-pool.ts"

/** Work for receivers, some of them at the same time, for each one piece after the other, and half of them of one key. */
export class InTurn {
  readonly #pool: FairPool
  readonly #onError: (error: unknown) => void
  readonly #under = new Map<string, Promise<void>>()

  /** @param most receivers that are worked for at the same time */
  constructor(most: number, onError: (error: unknown) => void) {
    this.#pool = new FairPool("receivers", { places: most })
    this.#onError = onError
  }

  /** Receivers that are being worked for. */
  get busy(): ReadonlySet<string> {
    return new Set(this.#under.keys())
  }

  /** Keys that have their share. */
  get served(): readonly string[] {
    return this.#pool.full.filter((key) => typeof key === "string")
  }

  /** For how many more there is room. */
  get room(): number {
    return this.#pool.places - this.#pool.running
  }

  /**
   * Begins a piece of work for a receiver that is not busy, unless its key has its share.
   * @param key whose receiver it is; default: it belongs to no key
   */
  begin(receiver: string, work: () => Promise<void>, key = receiver): void {
    const leave = this.#pool.enter(key)
    if (leave === null) return
    const done = work()
      .catch(this.#onError)
      .finally(() => {
        this.#under.delete(receiver)
        leave()
      })
    this.#under.set(receiver, done)
  }

  /** Resolves when all that was begun has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#under.values())
  }
}
