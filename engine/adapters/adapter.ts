import type { Embedder } from "../embedder.ts"
import type { Engine } from "../engine.ts"

/** What an index says of itself before it is opened. */
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

export interface OpenGenerationOptions {
  readonly mode: "read" | "write"
  readonly embedder: Embedder
  readonly embedding?: "on" | "off"
  readonly onProblem?: (error: unknown) => void
}

/**
 * What an adapter offers so that its indexes come in generations: any number side by side, each by its name, which is
 * `index`, `index-2`, `index-3` and so on. The name stands for whatever the adapter keeps an index in.
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
  /** Bytes that a generation takes, and that are free beside it. Left out where the adapter cannot tell. */
  room?(generation: string): Promise<{ readonly taken: number; readonly free: number }>
  /** Deletes a generation, as far as it is there. */
  drop(generation: string): Promise<void>
}

/** Pages of an older format; vectors only where today's passages are the ones they were made of. */
export interface OldIndex extends Pick<Engine, "allPages">, AsyncDisposable {
  count(): Promise<number>
}
