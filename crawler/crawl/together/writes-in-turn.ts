import { pause } from "#base/flow/pause.ts"
import { Serial } from "#base/flow/serial.ts"
import type { OwnProcess } from "#base/store/processes/own-process.ts"

const ROLE = "pages"
/** Time between checks of whether another process has written its batch, which takes a tenth of a second or more. */
const POLL_MS = 25

/**
 * Writes to the index one at a time, across all processes that share a state: a page's entry is looked up and written
 * without another write in between.
 */
export class WritesInTurn extends Serial {
  readonly #process: OwnProcess

  constructor(process: OwnProcess) {
    super()
    this.#process = process
  }

  override run<T>(task: () => Promise<T>): Promise<T> {
    return super.run(async () => {
      // Random delays decide which of the waiting processes is next.
      while (!(await this.#process.take(ROLE))) await pause(POLL_MS * (0.5 + Math.random()))
      try {
        return await task()
      } finally {
        await this.#process.leave(ROLE)
      }
    })
  }
}
