import { EngineError } from "../errors.ts"

/** The calls of an engine that are in progress: closing waits for them, and no new ones begin afterwards. */
export class Calls {
  readonly #explain: (error: unknown) => unknown
  readonly #underWay = new Set<Promise<unknown>>()
  #closed: Promise<void> | undefined

  /** @param explain turns a failure into a message for users of the engine */
  constructor(explain: (error: unknown) => unknown) {
    this.#explain = explain
  }

  /** @throws EngineError `ENGINE_CLOSED` */
  refuseClosed(): void {
    if (this.#closed) throw new EngineError("ENGINE_CLOSED", "The engine was closed; open it again.")
  }

  /** Runs a call that closing must wait for. @throws EngineError `ENGINE_CLOSED` */
  async during<T>(task: () => Promise<T>): Promise<T> {
    this.refuseClosed()
    const running = task()
    this.#underWay.add(running)
    try {
      return await running
    } catch (error) {
      throw this.#explain(error)
    } finally {
      this.#underWay.delete(running)
    }
  }

  /** @param release frees everything else once no call is in progress; runs once, however often this method is called */
  close(release: () => Promise<void>): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#underWay).then(release)
    return this.#closed
  }
}
