import { readFile, stat } from "node:fs/promises"
import type { SearchIndex } from "../../index/search-index.ts"
import { pause } from "#base/flow/pause.ts"
import { replaceFile } from "#base/store/replace-file.ts"
import { steadyNow } from "#base/steady-time.ts"

/** Number of pages recorded for each question, the best by their words: more than the question's results show. */
const PAGES_A_QUESTION = 20
/** Maximum number of page ids kept, the most recently requested ones; they take 15 kB. */
const MOST_PAGES = 500
const WRITE_EVERY_MS = 1000
const LOOK_EVERY_MS = 1000

/**
 * Records which pages without vectors turn up in searches, for the writer in another process, which then embeds them
 * sooner. Must be closed when no search is in progress; it then writes what it has recorded, and nothing after that.
 */
export class AskedPages implements AsyncDisposable {
  readonly #file: string
  /** Page ids, the most recent ones last. */
  readonly #ids = new Set<string>()
  readonly #closing = new AbortController()
  #isNew = false
  #writing: Promise<void> | null = null

  constructor(file: string) {
    this.#file = file
  }

  /** Wraps an index so that pages found to have no vectors are recorded. */
  noting(index: SearchIndex): SearchIndex {
    return {
      ...index,
      withoutVectors: async (ids) => {
        const without = await index.withoutVectors(ids)
        this.#note(ids.filter((id) => without.has(id)).slice(0, PAGES_A_QUESTION))
        return without
      },
    }
  }

  #note(ids: readonly string[]): void {
    if (ids.length === 0) return
    for (const id of ids) {
      this.#ids.delete(id)
      this.#ids.add(id)
    }
    for (const id of this.#ids) {
      if (this.#ids.size <= MOST_PAGES) break
      this.#ids.delete(id)
    }
    if (this.#closing.signal.aborted) return
    this.#isNew = true
    this.#writing ??= this.#write()
  }

  /** Nothing depends on this file: if the data folder isn't writable, pages wait their turn. */
  async #write(): Promise<void> {
    while (this.#isNew) {
      this.#isNew = false
      try {
        await replaceFile(this.#file, JSON.stringify([...this.#ids]))
      } catch {}
      await pause(WRITE_EVERY_MS, this.#closing.signal)
    }
    this.#writing = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#writing
  }
}

/** Pages needed by questions in another process, read by the writer. */
export class AskedPagesReader {
  readonly #file: string
  #lookedAt = -Infinity
  #readAt = 0

  constructor(file: string) {
    this.#file = file
  }

  /** The ids recorded since the last check; empty if there are none or the file can't be read. */
  async news(): Promise<readonly string[]> {
    if (steadyNow() - this.#lookedAt < LOOK_EVERY_MS) return []
    this.#lookedAt = steadyNow()
    try {
      const { mtimeMs } = await stat(this.#file)
      if (mtimeMs === this.#readAt) return []
      this.#readAt = mtimeMs
      const ids: unknown = JSON.parse(await readFile(this.#file, "utf8"))
      return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
    } catch {
      return []
    }
  }
}
