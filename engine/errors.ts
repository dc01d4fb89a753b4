import { KnownError } from "#base/errors.ts"

export type EngineErrorCode =
  /** The index or its server cannot be reached or read. */
  | "ENGINE_UNAVAILABLE"
  /** An index file is missing, or its content differs from what was written; the message names the file and says how to recover. */
  | "INDEX_DAMAGED"
  /** Another process has the index open for writing. */
  | "INDEX_LOCKED"
  /** The index was written by a newer Fossick. */
  | "INDEX_FORMAT_TOO_NEW"
  /** The index was written by an older Fossick: it has to be rebuilt first, or cannot be read at all. */
  | "INDEX_FORMAT_TOO_OLD"
  /** The index contains vectors from another model or with another number of dimensions: `fossick index upgrade`. */
  | "EMBEDDER_MISMATCH"
  /** The disk has too little room for the index to be built. */
  | "NO_ROOM"
  /** The model folder is missing or is not a model. */
  | "MODEL_UNAVAILABLE"
  /** The engine was opened for reading only. */
  | "READ_ONLY"
  /** The engine was closed. */
  | "ENGINE_CLOSED"

/** A failure of the engine. `code` is stable; `message` is for people and says what to do next. */
export class EngineError extends KnownError {
  readonly code: EngineErrorCode

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "EngineError"
    this.code = code
  }
}

/** How to repair a damaged index, as the end of a message. */
export const REPAIR_HINT = "The crawler process repairs it when it starts; so does `fossick index repair`."
