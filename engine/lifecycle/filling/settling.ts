/** The callers that are waiting until every page has its vectors. */
export class Settling {
  #done: PromiseWithResolvers<void> | undefined

  wait(): Promise<void> {
    this.#done ??= Promise.withResolvers()
    return this.#done.promise
  }

  /** Called when every page has its vectors. */
  settle(): void {
    this.#done?.resolve()
    this.#done = undefined
  }

  /** Called when nothing creates vectors any longer. */
  giveUp(reason: unknown): void {
    this.#done?.promise.catch(() => undefined)
    this.#done?.reject(reason)
  }
}
