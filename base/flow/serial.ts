/** Runs tasks one after another, in the order they were given; a failed task does not stop the others. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve()
  #count = 0

  /** Whether no task is running or waiting. */
  get isIdle(): boolean {
    return this.#count === 0
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#count += 1
    const result = this.#last.then(task).finally(() => (this.#count -= 1))
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when every task given so far has ended. */
  async idle(): Promise<void> {
    await this.#last
  }
}
