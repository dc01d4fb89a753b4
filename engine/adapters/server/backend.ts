import type { Embedder } from "../../embedder.ts"
import type { EngineSupports, PageCoverage, PagesOfReaders, PageWithVectors } from "../../engine.ts"
import type { FilledPage } from "../../lifecycle/filling/filling.ts"
import type { PageRow, StoredPage } from "../../index/page-record.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import type { NamedPages } from "../../search/suggestions/suggestions.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { IndexInfo } from "../adapter.ts"

/** Facts about an index as a whole, counted by its server. */
export interface IndexState {
  readonly pages: number
  /** Number of pages whose passages are waiting for their vectors. */
  readonly waiting: number
  readonly passages: number
  /** Number of passages on waiting pages; omitted by servers that don't report it. */
  readonly waitingPassages?: number
  /** Number of pages per language, the most frequent language first; "" for an unknown language. */
  readonly byLanguage: ReadonlyMap<string, number>
  /**
   * A number that increases whenever a page is written; omitted by servers that don't report it. Servers that report it
   * are queried less often the longer nothing changes: their {@link SearchIndex.withoutVectors} includes pages that
   * have been written since.
   */
  readonly lastWritten?: number
}

/** Languages, each with its share of the pages. */
export const sharesOf = ({ byLanguage, pages }: IndexState): ReadonlyMap<string, number> =>
  new Map(
    [...byLanguage]
      .filter(([language]) => language !== "")
      .map(([language, many]) => [language, many / Math.max(1, pages)]),
  )

/** A page that is being sent to the server, with its vectors if it came with them. */
export interface IndexedRow extends PageRow {
  readonly vectors: readonly Float32Array[] | null
}

/** Vectors that came with their page; `null` if they don't match it. */
export function readyVectors(
  { vectors, passage_count: count }: IndexedRow,
  dimensions: number,
): readonly Float32Array[] | null {
  const fits = vectors?.length === count && vectors.every(({ length }) => length === dimensions)
  return fits && count > 0 ? vectors : null
}

/** Writes and removes pages on a server. No other code in this process writes while one of these calls is running. */
export interface PageStore {
  /** When it resolves, searches find all pages that were not refused. */
  write(rows: readonly IndexedRow[]): Promise<Written>
  /** Once it resolves, searches no longer find the pages. */
  remove(ids: readonly string[]): Promise<void>
}

export interface Written {
  /** Pages that are waiting for vectors again because their text changed. */
  readonly changed: readonly string[]
  /** The server's messages for pages that it refused, by id. */
  readonly refused: ReadonlyMap<string, Error>
}

/** Which of the waiting pages to return. */
export interface WaitingAsked {
  readonly limit: number
  readonly without: readonly string[]
  readonly among?: readonly string[]
  readonly source?: string
}

/** A waiting page, with the facts needed to read its texts. */
export interface WaitingPage {
  readonly id: string
  readonly revision: number
}

/** Waiting pages that this process may embed. */
export interface WaitingFound<P> {
  /** The first of the waiting pages. */
  readonly pages: readonly P[]
  /** Total number of waiting pages. */
  readonly total: number
  /** Whether there are more waiting pages, claimed by another process. Default: false. */
  readonly isElsewhere?: boolean
}

/** The queue of pages that are waiting for their vectors, as stored by a server. */
export interface WaitingStore<P extends WaitingPage = WaitingPage> extends Partial<AsyncDisposable> {
  /** How often to look for pages left behind by a process that died; omitted if only one process writes. */
  readonly lookEveryMs?: number
  waiting(asked: WaitingAsked): Promise<WaitingFound<P>>
  /** The texts to embed, by position; pages replaced or removed since the request are left out. */
  texts(pages: readonly P[]): Promise<readonly { readonly page: P; readonly texts: readonly string[] }[]>
  /** Stores the vectors of the pages, except those replaced or removed in the meantime. No other code in this process writes while the call is running. */
  commit(filled: readonly FilledPage<P>[]): Promise<void>
  /**
   * Repairs waiting pages without texts, left behind by an interrupted write. Runs while no other code in this process
   * is writing. Omitted if writes are atomic.
   */
  mend?(pages: readonly P[]): Promise<void>
}

export interface Changed {
  /** The first changed pages; empty for version 0, which is before all others. */
  readonly changed: readonly Pick<StoredPage, "id" | "revision">[]
  /** The last version covered. */
  readonly version: number
  /** Number of pages in the index. */
  readonly count: number
}

/** The server-specific part of an index on a server; `server-engine.ts` is the rest of the engine. */
export type PagesAsked = { readonly after: string } | { readonly ids: readonly string[] }

export interface Backend extends AsyncDisposable {
  readonly supports: EngineSupports
  /** Approximate number of characters of text to send at a time. Default: 2 million */
  readonly charsPerCall?: number
  /** The server's name, for messages. */
  readonly title: string
  /** Turns a failure into an error for users of the engine. */
  explain(error: unknown): unknown
  /** @throws EngineError `ENGINE_UNAVAILABLE` when the server runs another version. */
  checkVersion(): Promise<void>
  /** `null` if there is no index. */
  manifest(): Promise<IndexInfo | null>
  /** @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD` */
  refuseOtherFormat(manifest: IndexInfo): void
  /** Creates an empty index. Deletes anything left behind by a process that died while doing so. */
  create(embedder: Pick<Embedder, "id" | "dimensions">): Promise<void>
  /** Prepares an existing index for writing. */
  prepare(manifest: IndexInfo): Promise<void>
  /** `null` if there is no index. */
  state(): Promise<IndexState | null>
  /** Number of pages of a source that are waiting for their vectors. */
  waitingOf(source: string): Promise<number>
  /** Counts pages by source and label of readers. */
  byReaders(): Promise<readonly PagesOfReaders[]>
  /** The queries of one search. */
  searchIndex(state: IndexState): SearchIndex
  stored(id: string): Promise<Pick<StoredPage, "title" | "details" | "markdown"> | null>
  coverage(id: string): Promise<PageCoverage | null>
  /** The next pages in order of their ids (empty at the end), or the pages with the given ids, each with its vectors. */
  pagesWithVectors(asked: PagesAsked): Promise<readonly PageWithVectors[]>
  /** The texts used to suggest pages. */
  namedPages(writes: Serial): NamedPages
  /** Writes since a version, by any process; omitted if only one process writes. */
  changedSince?(version: number): Promise<Changed>
  /** The page store for an index of vectors with this many dimensions. */
  pageStore(dimensions: number): PageStore
  waitingStore(): WaitingStore
}
