import { EngineError } from "../../errors.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { IndexedRow, PageStore } from "./backend.ts"

/** Maximum size of a combined write. Every write costs the server tens of milliseconds, so waiting calls are written together, up to this limit. */
const MOST_CHARS = 8_000_000
const MOST_PAGES = 2000

interface Call {
  readonly rows: readonly IndexedRow[]
  readonly done: PromiseWithResolvers<void>
}

export interface PageWriterOptions {
  readonly store: PageStore
  /** The server's name, for messages. */
  readonly server: string
  /** Writes go through this, one at a time. */
  readonly writes: Serial
  /** Called with the pages that are waiting for vectors again because their text changed. */
  readonly onWritten: (changed: readonly string[]) => void
}

/** Writes pages: calls that are waiting at the same time are combined into one write, and a refused page doesn't affect the others. */
export class PageWriter {
  readonly #options: PageWriterOptions
  #calls: Call[] = []

  constructor(options: PageWriterOptions) {
    this.#options = options
  }

  /** Resolves once the server has stored the pages. @throws EngineError that names the refused pages */
  write(rows: readonly IndexedRow[]): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#calls.push({ rows, done })
    void this.#options.writes.run(() => this.#writeNext())
    return done.promise
  }

  remove(ids: readonly string[]): Promise<void> {
    const { store, writes, onWritten } = this.#options
    return writes.run(async () => {
      await store.remove(ids)
      onWritten([])
    })
  }

  async #writeNext(): Promise<void> {
    const calls: Call[] = []
    let chars = 0
    let pages = 0
    while (this.#calls.length > 0 && (calls.length === 0 || (chars < MOST_CHARS && pages < MOST_PAGES))) {
      const call = this.#calls.shift()!
      for (const row of call.rows) chars += row.markdown.length + row.passage_terms.length
      pages += call.rows.length
      calls.push(call)
    }
    if (calls.length === 0) return
    // If two pages have the same address, only the later one is written.
    const rows = new Map(calls.flatMap((call) => call.rows.map((row) => [row.id, row] as const)))
    try {
      const { changed, refused } = await this.#options.store.write([...rows.values()])
      this.#options.onWritten(changed)
      for (const { rows, done } of calls) {
        const own = rows.flatMap((row) => {
          const error = refused.get(row.id)
          return error ? [{ row, error }] : []
        })
        if (own.length > 0) done.reject(this.#refusal(own))
        else done.resolve()
      }
    } catch (error) {
      for (const { done } of calls) done.reject(error)
    }
  }

  #refusal(refused: readonly { readonly row: IndexedRow; readonly error: Error }[]): EngineError {
    const named = refused.slice(0, 5).map(({ row, error }) => {
      const { url } = JSON.parse(row.details) as { url: string }
      return `${url} (${error.message.split("\n")[0]})`
    })
    const more = refused.length > named.length ? `, and ${refused.length - named.length} more` : ""
    return new EngineError(
      "ENGINE_UNAVAILABLE",
      `${this.#options.server} refused ${refused.length === 1 ? "a page" : `${refused.length} pages`}: ${named.join(", ")}${more}. The other pages are in the index.`,
      { cause: refused[0]!.error },
    )
  }
}
