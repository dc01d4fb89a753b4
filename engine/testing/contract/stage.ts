import type { ChildProcess } from "node:child_process"
import type { Embedder } from "../../embedder.ts"
import type { Engine, PageFilter } from "../../engine.ts"

export interface OpenOptions {
  readonly mode?: "read" | "write"
  readonly embedder?: Embedder
  readonly embedding?: "on" | "off"
}

/** What the suite needs from an adapter. A child process imports the export `adapter` from `module`. */
export interface AdapterUnderTest {
  readonly module: string
  /** A place for a new index: a folder, or the name of an index on a server. */
  freshPlace(): Promise<string>
  removePlace(place: string): Promise<void>
  /**
   * Whether the adapter's answers come from a recording or are being recorded; if so, stories that are newer than the
   * recording, or that need the engine to embed on its own, are left out.
   */
  readonly isRecorded?: boolean
  /** Number of pages that a writer has written when it is killed. Default 12. */
  readonly killedAfter?: number
  /** Opens the engine. Default: opens for writing, with the hashing embedder. */
  open(place: string, options?: OpenOptions): Promise<Engine>
}

/** The environment of one adapter's stories: each gets a fresh place, and everything is closed after it. */
export interface Stage {
  readonly adapter: AdapterUnderTest
  /** Where this story's index is. */
  readonly place: () => string
  /** Engines to close after the story. */
  readonly opened: Engine[]
  readonly open: (options?: OpenOptions) => Promise<Engine>
  /** Addresses of the pages that a question finds, best first. */
  readonly found: (engine: Engine, text: string, filter?: PageFilter) => Promise<string[]>
  /** Addresses of the pages found by words alone, so that nothing is found by vector similarity. Sorted. */
  readonly foundByWords: (engine: Engine, text: string, filter?: PageFilter) => Promise<string[]>
  readonly spawnChild: (role: "reader" | "writer") => {
    readonly child: ChildProcess & { readonly stdin: NodeJS.WritableStream }
    /** The next line that the child writes. */
    readonly next: () => Promise<string>
  }
}
