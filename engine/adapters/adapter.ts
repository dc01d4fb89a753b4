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
 * - `pages`: an older one. Its pages can be read and taken into an index of this version; it is not searched.
 * - `too-old`, `too-new`: nothing can be read.
 */
export type FormatUse = "written" | "pages" | "too-old" | "too-new"

/**
 * The damaged part, which decides how to repair it:
 * - `pages`: pages themselves. Those that cannot be read have to be fetched again.
 * - `words`: the index of words. It is rebuilt from the pages.
 * - `vectors`: the index of meaning. It is rebuilt from the pages; until then pages are found by words only.
 * - `ranking`: counts that scores depend on a little. The next writer rebuilds them.
 * - `names`: a file that has a copy, or that the next writer rebuilds.
 */
export type Harm = "pages" | "words" | "vectors" | "ranking" | "names"

/** A file that is missing, or holds something else than was written. */
export interface Damage {
  /** Path in the data folder. */
  readonly file: string
  /** Going on a sentence whose subject is the file. */
  readonly damage: string
  readonly harms: Harm
}

/**
 * - `sizes`: whether all files are there, can be opened, and have their sizes: milliseconds.
 * - `small`: with `all` where that takes a fraction of a second, else as `sizes`.
 * - `all`: whether their content is intact: as long as reading all of them takes.
 */
export type CheckDepth = "sizes" | "small" | "all"

export interface OpenGenerationOptions {
  readonly mode: "read" | "write"
  readonly embedder: Embedder
  readonly embedding?: "on" | "off"
  /**
   * Opened for writing beside the main writer of the index: takes no lock, and leaves the vectors to the main writer. Callers
   * make sure that no two of them write the same page at once. Only for an index on a server. Default false.
   */
  readonly isBeside?: boolean
  /** Default: none. */
  readonly reranking?: Reranking
  readonly onProblem?: (error: unknown) => void
}

/**
 * Lets the indexes of an adapter come in generations: any number side by side, named `index`, `index-2`, `index-3` and so on. The
 * adapter decides where it keeps the index of a name.
 */
export interface GenerationAdapter {
  /** As {@link Engine.supports}. */
  readonly name: string
  /** The format that this version writes. */
  readonly format: number
  useOf(format: number): FormatUse
  /** Null when there is no such generation. @throws EngineError `ENGINE_UNAVAILABLE` */
  info(generation: string): Promise<IndexInfo | null>
  /**
   * A generation of the format this version writes; a missing one is empty when opened for reading, and made when opened
   * for writing. Closing it leaves the embedder open.
   *
   * @throws EngineError `INDEX_LOCKED`, `EMBEDDER_MISMATCH`, `ENGINE_UNAVAILABLE`
   */
  open(generation: string, options: OpenGenerationOptions): Promise<Engine>
  /**
   * A generation whose format has the use `pages`. Nobody else writes to it until it is closed. Left out by an adapter
   * without such formats.
   *
   * @throws EngineError `INDEX_LOCKED`, `ENGINE_UNAVAILABLE`
   */
  openOld?(generation: string): Promise<OldIndex>
  /** The damage of a generation, also while another process writes to it. Left out by an adapter whose server looks after its files. */
  check?(generation: string, depth: CheckDepth): Promise<readonly Damage[]>
  /**
   * Opens the readable rest of a damaged generation. No other process can write to it until it is closed.
   *
   * @throws EngineError `INDEX_LOCKED`
   */
  openDamaged?(generation: string): Promise<OldIndex>
  /** Pages that the tables of a damaged generation know; null when they cannot be read. */
  indexed?(generation: string): Promise<number | null>
  /** The generations that are there, and how many pages can be read of each. */
  present?(): Promise<readonly { readonly name: string; readonly pages: number }[]>
  /** Bytes that a generation takes, and that are free beside it. Left out where the adapter cannot tell. */
  room?(generation: string): Promise<{ readonly taken: number; readonly free: number }>
  /** Deletes a generation, or the parts of it that exist. */
  drop(generation: string): Promise<void>
}

/** Pages of an older format; vectors only where today's passages are the ones they were made of. */
export interface OldIndex extends Pick<Engine, "allPages">, AsyncDisposable {
  count(): Promise<number>
}
