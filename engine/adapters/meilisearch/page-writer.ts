import { EngineError } from "../../errors.ts"
import type { PageRow } from "../../index/page-record.ts"
import {
  type PageDocument,
  type PassageDocument,
  toPageDocument,
  toPassageDocuments,
  toTextDocument,
} from "./server/documents.ts"
import { arePages } from "./filter.ts"
import type { Indexes } from "./server/indexes.ts"
import type { Serial } from "#base/flow/serial.ts"
import { type Server, TaskFailed, isTooLarge } from "./server/server.ts"

/** Vectors in one request: about 4 kB of text each. */
const VECTORS_AT_A_TIME = 1000
/** Every task costs the server some tens of milliseconds, so waiting calls are written together, up to this. */
const MOST_CHARS = 8_000_000
const MOST_PAGES = 2000

/** A page on its way to the server, with its vectors when it brings them. */
export interface IndexedRow extends PageRow {
  readonly vectors: readonly Float32Array[] | null
}

/** What is known of a page that is there already. */
export type KnownPage = Pick<PageDocument, "id" | "revision" | "waiting" | "replaced">

interface Call {
  readonly rows: readonly IndexedRow[]
  readonly done: PromiseWithResolvers<void>
}

export interface PageWriterOptions {
  readonly server: Server
  readonly indexes: Indexes
  /** Writes go through this, one at a time. */
  readonly writes: Serial
  readonly dimensions: number
  /** With the pages that wait for vectors again, since they said something else before. */
  readonly onWritten: (changed: readonly string[]) => void
}

/** Writes pages: calls that wait at the same time become one task, and a page that is refused keeps out no other. */
export class PageWriter {
  readonly #options: PageWriterOptions
  #calls: Call[] = []
  #changed: string[] = []

  constructor(options: PageWriterOptions) {
    this.#options = options
  }

  /** Resolves when the server has them. @throws EngineError that names the pages it refused */
  write(rows: readonly IndexedRow[]): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#calls.push({ rows, done })
    void this.#options.writes.run(() => this.#writeNext())
    return done.promise
  }

  remove(ids: readonly string[]): Promise<void> {
    const { server, indexes, writes } = this.#options
    return writes.run(async () => {
      const page = await indexes.pages.deleteDocuments([...ids])
      const text = await indexes.texts.deleteDocuments([...ids])
      const passages = await indexes.passages.deleteDocuments({ filter: arePages(ids) })
      await server.allDone([page, text, passages])
      this.#options.onWritten([])
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
    // Of two pages with one address the later one counts.
    const rows = new Map(calls.flatMap((call) => call.rows.map((row) => [row.id, row] as const)))
    try {
      const refused = await this.#writeParts([...rows.values()])
      this.#options.onWritten(this.#changed.splice(0))
      for (const { rows, done } of calls) {
        const own = rows.flatMap(({ id }) => refused.get(id) ?? [])
        if (own.length > 0) done.reject(refusal(own))
        else done.resolve()
      }
    } catch (error) {
      for (const { done } of calls) done.reject(error)
    }
  }

  /** @returns what the server said of the pages that it refused, by id. */
  async #writeParts(rows: readonly IndexedRow[]): Promise<Map<string, Refused>> {
    try {
      await this.#writeTogether(rows)
      return new Map()
    } catch (error) {
      if (!(isTooLarge(error) || (error instanceof TaskFailed && error.refused))) throw error
      if (rows.length === 1) return new Map([[rows[0]!.id, { row: rows[0]!, error: error as Error }]])
      const half = Math.ceil(rows.length / 2)
      const first = await this.#writeParts(rows.slice(0, half))
      return new Map([...first, ...(await this.#writeParts(rows.slice(half)))])
    }
  }

  async #writeTogether(rows: readonly IndexedRow[]): Promise<void> {
    const { server, indexes, dimensions } = this.#options
    const known = await this.#known(rows.map(({ id }) => id))
    const gone: string[] = []
    const vectors: PassageDocument[] = []
    const pages = rows.map((row) => {
      const old = known.get(row.id)
      const changed = old !== undefined && old.revision !== row.revision
      const replaced = old !== undefined && (old.replaced || (changed && !old.waiting))
      const embedded = old !== undefined && !changed && !old.waiting
      const brought = embedded ? null : readyVectors(row, dimensions)
      const waiting = !embedded && !brought && row.passage_count > 0
      const page = toPageDocument(row, { waiting, replaced: replaced && waiting })
      if (replaced && !waiting) gone.push(row.id)
      if (changed && waiting) this.#changed.push(row.id)
      if (brought) vectors.push(...toPassageDocuments(page, brought))
      return page
    })
    if (gone.length > 0) await server.done(indexes.passages.deleteDocuments({ filter: arePages(gone) }))
    await writeVectors(server, indexes, vectors)
    // Both are on the server's own list before either is waited for: no process that dies leaves one without the other.
    const texts = await indexes.texts.addDocuments(rows.map(toTextDocument))
    await server.allDone([texts, await indexes.pages.addDocuments(pages)])
  }

  async #known(ids: readonly string[]): Promise<Map<string, KnownPage>> {
    const { results } = await this.#options.indexes.pages.getDocuments({
      ids: [...ids],
      filter: [],
      fields: ["id", "revision", "waiting", "replaced"],
      limit: ids.length,
    })
    return new Map(results.map((page) => [page.id, page]))
  }
}

/** Writes vectors in parts and waits for each. */
export async function writeVectors(
  server: Server,
  { passages }: Indexes,
  vectors: readonly PassageDocument[],
): Promise<void> {
  for (let at = 0; at < vectors.length; at += VECTORS_AT_A_TIME) {
    await server.done(passages.addDocuments(vectors.slice(at, at + VECTORS_AT_A_TIME)))
  }
}

/** Vectors that came with their page; null when they do not fit it. */
function readyVectors({ vectors, passage_count: count }: IndexedRow, dimensions: number) {
  const fits = vectors?.length === count && vectors.every(({ length }) => length === dimensions)
  return fits && count > 0 ? vectors : null
}

interface Refused {
  readonly row: IndexedRow
  readonly error: Error
}

function refusal(refused: readonly Refused[]): EngineError {
  const named = refused.slice(0, 5).map(({ row, error }) => {
    const { url } = JSON.parse(row.details) as { url: string }
    return `${url} (${error.message.split("\n")[0]})`
  })
  const more = refused.length > named.length ? `, and ${refused.length - named.length} more` : ""
  return new EngineError(
    "ENGINE_UNAVAILABLE",
    `Meilisearch refused ${refused.length === 1 ? "a page" : `${refused.length} pages`}: ${named.join(", ")}${more}. The other pages are in the index.`,
    { cause: refused[0]!.error },
  )
}
