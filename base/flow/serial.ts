/** Runs tasks one after the other, in the order they were given; a task that fails stops no other. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve()
  #count = 0

  /** Whether no task is under way or waits. */
  get isIdle(): boolean {
    return this.#count === 0
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#count += 1
    const result = this.#last.then(task).finally(() => (this.#count -= 1))
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when every task given so far is over. */
  async idle(): Promise<void> {
    await this.#last
  }
}
