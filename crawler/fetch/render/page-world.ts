import { setTimeout as sleep } from "node:timers/promises"
import type { CDPSession } from "playwright"

/** Runs functions inside a page, in a world that the page's own scripts cannot reach. */
export class PageWorld {
  readonly #session: CDPSession
  #context: number | null = null

  constructor(session: CDPSession) {
    this.#session = session
  }

  /**
   * Returns the result of `run`, which is called inside the page. `run` may use only its parameters, which are sent as
   * JSON, and the class `uses`.
   * @returns null when the page's scripts don't let it run within `timeoutMs`.
   */
  async run<Given extends readonly unknown[], Result>(
    run: (...given: Given) => Result,
    given: Given,
    timeoutMs: number,
    uses: (abstract new (...given: never[]) => unknown) | null = null,
  ): Promise<{ readonly value: Result } | null> {
    const called = `(${run.toString()})(${given.map((one) => JSON.stringify(one)).join(",")})`
    const expression = uses === null ? called : `(() => { ${uses.toString()}; return ${called} })()`
    const done = this.#evaluate(expression).catch(() => {
      // The page was replaced by another one in the meantime.
      this.#context = null
      return this.#evaluate(expression)
    })
    return (await inTime(done, timeoutMs)) as { readonly value: Result } | null
  }

  /** Stops the running script and lets no other script start. */
  async stopScripts(timeoutMs: number): Promise<void> {
    const stopping = Promise.all([
      this.#session.send("Emulation.setScriptExecutionDisabled", { value: true }),
      this.#session.send("Runtime.terminateExecution"),
    ])
    await inTime(
      stopping.catch(() => undefined),
      timeoutMs,
    )
  }

  async #evaluate(expression: string): Promise<{ readonly value: unknown }> {
    this.#context ??= await this.#createWorld()
    const { result, exceptionDetails } = await this.#session.send("Runtime.evaluate", {
      expression,
      contextId: this.#context,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return { value: result.value }
  }

  async #createWorld(): Promise<number> {
    const { frameTree } = await this.#session.send("Page.getFrameTree")
    const { executionContextId } = await this.#session.send("Page.createIsolatedWorld", {
      frameId: frameTree.frame.id,
      worldName: "fossick",
    })
    return executionContextId
  }
}

async function inTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result | null> {
  const over = new AbortController()
  work.catch(() => undefined)
  try {
    return await Promise.race([
      work,
      sleep(Math.max(0, timeoutMs), null, { signal: over.signal }).catch(() => null),
    ])
  } finally {
    over.abort()
  }
}
