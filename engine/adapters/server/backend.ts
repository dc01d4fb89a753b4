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
  /** Pages whose passages wait for their vectors. */
  readonly waiting: number
  readonly passages: number
  /** Passages of the pages that wait; left out by a server that does not tell. */
  readonly waitingPassages?: number
  /** Pages per language, the most frequent first; "" for an unknown language. */
  readonly byLanguage: ReadonlyMap<string, number>
  /**
   * When a page was last written, by a number that grows; left out by a server that does not tell. One that tells is asked the less often the
   * longer nothing changes: its {@link SearchIndex.withoutVectors} knows of pages that came since.
   */
  readonly lastWritten?: number
}

/** Languages with the share of the pages in each. */
export const sharesOf = ({ byLanguage, pages }: IndexState): ReadonlyMap<string, number> =>
  new Map(
    [...byLanguage]
      .filter(([language]) => language !== "")
      .map(([language, many]) => [language, many / Math.max(1, pages)]),
  )

/** A page on its way to the server, with its vectors when it brings them. */
export interface IndexedRow extends PageRow {
  readonly vectors: readonly Float32Array[] | null
}

/** Vectors that came with their page; null when they do not fit it. */
export function readyVectors(
  { vectors, passage_count: count }: IndexedRow,
  dimensions: number,
): readonly Float32Array[] | null {
  const fits = vectors?.length === count && vectors.every(({ length }) => length === dimensions)
  return fits && count > 0 ? vectors : null
}

/** How pages get onto a server. Nobody else in this process writes while one of these runs. */
export interface PageStore {
  /** When it resolves, searches find all pages that were not refused. */
  write(rows: readonly IndexedRow[]): Promise<Written>
  /** When it resolves, searches no longer find them. */
  remove(ids: readonly string[]): Promise<void>
}

export interface Written {
  /** Pages that wait for vectors again, since they said something else before. */
  readonly changed: readonly string[]
  /** The server's messages for pages that it refused, by id. */
  readonly refused: ReadonlyMap<string, Error>
}

/** Which of the pages that wait for their vectors are asked for. */
export interface WaitingAsked {
  readonly limit: number
  readonly without: readonly string[]
  readonly among?: readonly string[]
  readonly source?: string
}

/** A page that waits, with what its texts are read by. */
export interface WaitingPage {
  readonly id: string
  readonly revision: number
}

/** Pages that wait, and that this process may fill. */
export interface WaitingFound<P> {
  /** The first of them. */
  readonly pages: readonly P[]
  /** How many there are. */
  readonly total: number
  /** Whether more wait that another process has in hand. Default: false. */
  readonly isElsewhere?: boolean
}

/** The queue of pages that wait for their vectors, as a server keeps it. */
export interface WaitingStore<P extends WaitingPage = WaitingPage> extends Partial<AsyncDisposable> {
  /** How often one looks for pages that another process left, which died; left out where one process alone writes. */
  readonly lookEveryMs?: number
  waiting(asked: WaitingAsked): Promise<WaitingFound<P>>
  /** Their vectors, by position; none for a page that was replaced or removed since the request. */
  texts(pages: readonly P[]): Promise<readonly { readonly page: P; readonly texts: readonly string[] }[]>
  /** Puts the vectors beside their pages, but of those that were replaced or removed meanwhile. Nobody else in this process writes meanwhile. */
  commit(filled: readonly FilledPage<P>[]): Promise<void>
  /**
   * Repairs pages that wait and have no texts, left behind by an interrupted write. Runs while no other code in this process
   * writes. Left out when a write is all or nothing.
   */
  mend?(pages: readonly P[]): Promise<void>
}

export interface Changed {
  /** The first of them; none since version 0, which is before all. */
  readonly changed: readonly Pick<StoredPage, "id" | "revision">[]
  /** The last version that these cover. */
  readonly version: number
  /** Pages of the index. */
  readonly count: number
}

/** The server-specific part of an index on a server; `server-engine.ts` is the rest of an adapter. */
export type PagesAsked = { readonly after: string } | { readonly ids: readonly string[] }

export interface Backend extends AsyncDisposable {
  readonly supports: EngineSupports
  /** About how much text of pages it is sent at a time. Default: 2 million characters */
  readonly charsPerCall?: number
  /** The server's name, for messages. */
  readonly title: string
  /** Turns a failure into an error for users of the engine. */
  explain(error: unknown): unknown
  /** @throws EngineError `ENGINE_UNAVAILABLE` when the server is of another version. */
  checkVersion(): Promise<void>
  /** Null when there is no index. */
  manifest(): Promise<IndexInfo | null>
  /** @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD` */
  refuseOtherFormat(manifest: IndexInfo): void
  /** Makes an empty index. Deletes the remains of a process that died while doing this. */
  create(embedder: Pick<Embedder, "id" | "dimensions">): Promise<void>
  /** An existing index, before it is written to. */
  prepare(manifest: IndexInfo): Promise<void>
  /** Null when there is no index. */
  state(): Promise<IndexState | null>
  /** How many pages of a source wait for their vectors. */
  waitingOf(source: string): Promise<number>
  /** Counts pages by source and label of readers. */
  byReaders(): Promise<readonly PagesOfReaders[]>
  /** The queries of one search. */
  searchIndex(state: IndexState): SearchIndex
  stored(id: string): Promise<Pick<StoredPage, "title" | "details" | "markdown"> | null>
  coverage(id: string): Promise<PageCoverage | null>
  /** The next pages in the order of their ids, none at the end, or those of some ids; with their vectors. */
  pagesWithVectors(asked: PagesAsked): Promise<readonly PageWithVectors[]>
  /** The texts that pages are suggested by. */
  namedPages(writes: Serial): NamedPages
  /** Writes since a version, by any process; left out when only one process writes. */
  changedSince?(version: number): Promise<Changed>
  /** How pages are written to an index of vectors of so many dimensions. */
  pageStore(dimensions: number): PageStore
  waitingStore(): WaitingStore
}
