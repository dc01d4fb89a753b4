/** Callers that wait until no page lacks its vectors. */
export class Settling {
  #done: PromiseWithResolvers<void> | undefined

  wait(): Promise<void> {
    this.#done ??= Promise.withResolvers()
    return this.#done.promise
  }

  /** No page lacks its vectors now. */
  settle(): void {
    this.#done?.resolve()
    this.#done = undefined
  }

  /** Nothing creates them any longer. */
  giveUp(reason: unknown): void {
    this.#done?.promise.catch(() => undefined)
    this.#done?.reject(reason)
  }
}
