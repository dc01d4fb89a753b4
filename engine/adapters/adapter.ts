import type { Embedder } from "../embedder.ts"
import type { Engine } from "../engine.ts"
import type { Reranking } from "../search/second-reading/reranking.ts"

/** Facts about an index that are known before it is opened. */
export interface IndexInfo {
  readonly format: number
  /** Id of the embedder that made the vectors. */
  readonly embedder: string
  readonly dimensions: number
}

/**
 * - `written`: the format of this version. It is searched and written to.
 * - `pages`: an older one. Its pages can be read and copied into an index of this version; it isn't searched.
 * - `too-old`, `too-new`: nothing can be read.
 */
export type FormatUse = "written" | "pages" | "too-old" | "too-new"

/**
 * The damaged part, which determines how to repair it:
 * - `pages`: the pages themselves. Unreadable ones must be fetched again.
 * - `words`: the full-text index. It is rebuilt from the pages.
 * - `vectors`: the vector index. It is rebuilt from the pages; until then, pages are found only by words.
 * - `ranking`: counts that have a small influence on scores. The next writer rebuilds them.
 * - `names`: a file that has a copy, or that the next writer rebuilds.
 */
export type Harm = "pages" | "words" | "vectors" | "ranking" | "names"

/** A file that is missing, or whose content differs from what was written. */
export interface Damage {
  /** Path relative to the data folder. */
  readonly file: string
  /** Completes a sentence whose subject is the file. */
  readonly damage: string
  readonly harms: Harm
}

/**
 * - `sizes`: whether all files exist, can be opened, and have the right sizes; takes milliseconds.
 * - `small`: like `all` if that takes a fraction of a second, otherwise like `sizes`.
 * - `all`: whether the content of all files is intact; takes as long as reading them all.
 */
export type CheckDepth = "sizes" | "small" | "all"

export interface OpenGenerationOptions {
  readonly mode: "read" | "write"
  readonly embedder: Embedder
  readonly embedding?: "on" | "off"
  /**
   * Whether the index is opened for writing alongside its main writer: takes no lock, and leaves the vectors to the
   * main writer. Callers make sure that no two of them write the same page at once. Only for an index on a server.
   * Default false.
   */
  readonly isBeside?: boolean
  /** Default: no reranking. */
  readonly reranking?: Reranking
  readonly onProblem?: (error: unknown) => void
}

/**
 * Manages the indexes of an adapter as generations: any number side by side, named `index`, `index-2`, `index-3` and so
 * on. The adapter decides where it stores each index.
 */
export interface GenerationAdapter {
  /** As in {@link Engine.supports}. */
  readonly name: string
  /** The format that this version writes. */
  readonly format: number
  useOf(format: number): FormatUse
  /** `null` if there is no such generation. @throws EngineError `ENGINE_UNAVAILABLE` */
  info(generation: string): Promise<IndexInfo | null>
  /**
   * Opens a generation in the format this version writes; a missing one is empty when opened for reading, and created
   * when opened for writing. Closing it leaves the embedder open.
   *
   * @throws EngineError `INDEX_LOCKED`, `EMBEDDER_MISMATCH`, `ENGINE_UNAVAILABLE`
   */
  open(generation: string, options: OpenGenerationOptions): Promise<Engine>
  /**
   * Opens a generation in a format whose use is `pages`. No other process writes to it until it is closed. Omitted by
   * adapters without such formats.
   *
   * @throws EngineError `INDEX_LOCKED`, `ENGINE_UNAVAILABLE`
   */
  openOld?(generation: string): Promise<OldIndex>
  /** Reports damage to a generation, even while another process is writing to it. Omitted by adapters whose server takes care of its own files. */
  check?(generation: string, depth: CheckDepth): Promise<readonly Damage[]>
  /**
   * Opens the readable part of a damaged generation. No other process can write to it until it is closed.
   *
   * @throws EngineError `INDEX_LOCKED`
   */
  openDamaged?(generation: string): Promise<OldIndex>
  /** Number of pages known to the tables of a damaged generation; `null` if they can't be read. */
  indexed?(generation: string): Promise<number | null>
  /** The existing generations, and how many pages can be read from each. */
  present?(): Promise<readonly { readonly name: string; readonly pages: number }[]>
  /** Number of bytes that a generation takes up, and of bytes that are free. Omitted if the adapter can't determine them. */
  room?(generation: string): Promise<{ readonly taken: number; readonly free: number }>
  /** Deletes a generation, or the parts of it that exist. */
  drop(generation: string): Promise<void>
}

/** Pages in an older format, with vectors only if the passages haven't changed since the vectors were made. */
export interface OldIndex extends Pick<Engine, "allPages">, AsyncDisposable {
  count(): Promise<number>
}
