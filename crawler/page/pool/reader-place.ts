import type { Extracted } from "../extract/extracted.ts"
import type { DocumentError } from "../formats/document-error.ts"
import type { ReadBodyTask } from "../read-body.ts"

/** Why no page could be made from a body. `too-large`: reading it takes more memory than is allowed. */
export type Unread = DocumentError["kind"] | "too-large"

export type ReadBodyAnswer =
  | { readonly ok: true; readonly extracted: Extracted }
  | { readonly ok: false; readonly kind: Unread; readonly message: string }

/**
 * Messages from the program of a place: first that it is ready, then an answer to each body. `isSpent`: earlier bodies
 * left so much memory in use that the next body might not have enough.
 */
export type PlaceMessage = "ready" | (ReadBodyAnswer & { readonly isSpent?: boolean })

/** How a place ended without being asked to. `crashed`: the program it ran in is gone. */
export interface PlaceEnd {
  readonly kind: "unreadable" | "too-large" | "crashed"
  readonly detail: string
}

/** Where bodies are read, one after another: a thread, or a process. */
export interface ReaderPlace {
  /** Sends a task. The body's buffer may be detached after this call. */
  post(task: ReadBodyTask): void
  /** A place that is working keeps this process alive; an idle one does not. */
  ref(): void
  unref(): void
  end(): Promise<void>
}

export interface PlaceEvents {
  readonly message: (message: PlaceMessage) => void
  /** Called at least once when the place ends, regardless of the reason. */
  readonly ended: (end: PlaceEnd) => void
}

/** Starts a place with this many megabytes of memory: see {@link startReaderThread} and {@link startProcess} for what is included. */
export type StartPlace = (memoryMb: number, events: PlaceEvents, program?: URL) => ReaderPlace

/**
 * The signal that ends a process that has used all of its memory. Nothing else sends it, and by default it ends a
 * process at once.
 */
export const MEMORY_SIGNAL = "SIGUSR2"

export const tooMuchMemory = (memoryMb: number): string =>
  `reading it takes more than ${memoryMb} MB of memory`
