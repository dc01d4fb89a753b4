import { rm, stat, utimes, writeFile } from "node:fs/promises"
import path from "node:path"
import { steadyNow } from "#base/steady-time.ts"

// Tells the writer in another process that questions are asked, by the time of an empty file in the data folder. The file is
// there only while vectors are made, for the index in use or for one that is built beside it, so that nothing is written
// otherwise.

const FILE = "questions-asked"
const TELL_EVERY_MS = 1000
const LOOK_EVERY_MS = 1000
/** After a question this recent, another may follow: two intervals of telling and one look. */
const ASKED_WITHIN_MS = 3000

const fileIn = (dataDir: string | undefined): string | undefined => dataDir && path.join(dataDir, FILE)

/** Tells that questions are asked. Closed when no search is under way. */
export class QuestionsAsked implements AsyncDisposable {
  readonly #file: string | undefined
  #toldAt = -Infinity
  #telling = Promise.resolve()

  /** @param dataDir left out: no process learns of it */
  constructor(dataDir: string | undefined) {
    this.#file = fileIn(dataDir)
  }

  /** A question is asked. Nothing depends on it: in a data folder that cannot be written to, vectors take what they can get. */
  note(): void {
    if (this.#file === undefined || steadyNow() - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = steadyNow()
    const now = new Date()
    this.#telling = utimes(this.#file, now, now).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#telling
  }
}

/** Whether another process answers questions at the moment, for code that makes vectors. */
export class QuestionsAskedReader {
  readonly #file: string | undefined
  #lookedAt = -Infinity
  #askedAt = -Infinity
  /** The file's time at the last look. */
  #seen: number | null = null

  /** @param dataDir left out: none are asked */
  constructor(dataDir: string | undefined) {
    this.#file = fileIn(dataDir)
  }

  /** Whether questions were asked in the last seconds; the first call makes the other processes announce them. */
  async areAsked(): Promise<boolean> {
    if (this.#file !== undefined && steadyNow() - this.#lookedAt >= LOOK_EVERY_MS)
      await this.#look(this.#file)
    return steadyNow() - this.#askedAt < ASKED_WITHIN_MS
  }

  async #look(file: string): Promise<void> {
    this.#lookedAt = steadyNow()
    const seen = await timeOf(file)
    if (seen === null) await writeFile(file, "").catch(() => undefined)
    else if (this.#seen !== null && seen !== this.#seen) this.#askedAt = steadyNow()
    this.#seen = seen ?? (await timeOf(file))
  }

  /** No vectors are made any more. */
  async end(): Promise<void> {
    if (this.#file === undefined || this.#lookedAt === -Infinity) return
    this.#lookedAt = -Infinity
    this.#seen = null
    await rm(this.#file, { force: true }).catch(() => undefined)
  }
}

const timeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  )
