import { rm, stat, utimes, writeFile } from "node:fs/promises"
import path from "node:path"
import { steadyNow } from "#base/steady-time.ts"

// Informs the writer in another process that questions are being asked, through the modification time of an empty file
// in the data folder. The file exists only while vectors are being created, for the index in use or for one being built
// beside it, so that nothing is written otherwise.

const FILE = "questions-asked"
const TELL_EVERY_MS = 1000
const LOOK_EVERY_MS = 1000
/** How long after a question another one is still expected: two announcement intervals and one check. */
const ASKED_WITHIN_MS = 3000

const fileIn = (dataDir: string | undefined): string | undefined => dataDir && path.join(dataDir, FILE)

/** Announces that questions are being asked. Must be closed when no search is in progress. */
export class QuestionsAsked implements AsyncDisposable {
  readonly #file: string | undefined
  #toldAt = -Infinity
  #telling = Promise.resolve()

  /** @param dataDir if omitted, no other process is informed */
  constructor(dataDir: string | undefined) {
    this.#file = fileIn(dataDir)
  }

  /** Records that a question was asked. Nothing depends on it: if the data folder isn't writable, the creation of vectors doesn't yield to questions. */
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

/** Whether another process is answering questions at the moment, for code that creates vectors. */
export class QuestionsAskedReader {
  readonly #file: string | undefined
  #lookedAt = -Infinity
  #askedAt = -Infinity
  /** The modification time of the file at the last check. */
  #seen: number | null = null

  /** @param dataDir if omitted, it is assumed that no questions are being asked */
  constructor(dataDir: string | undefined) {
    this.#file = fileIn(dataDir)
  }

  /** Whether questions were asked in the last few seconds; the first call makes the other processes announce them. */
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

  /** Called when no more vectors are being created. */
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
