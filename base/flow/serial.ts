/** Runs tasks one after the other, in the order they were given; a task that fails stops no other. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when every task given so far is over. */
  async idle(): Promise<void> {
    await this.#last
  }
}
