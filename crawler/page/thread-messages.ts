import type { Extracted } from "./extract/extracted.ts"

/** What a thread says of a body. */
export type ReadBodyAnswer =
  | { readonly ok: true; readonly extracted: Extracted }
  | { readonly ok: false; readonly kind: "unsupported" | "unreadable"; readonly message: string }

/** What a thread says: once that it has its program, then an answer to each body. */
export type ThreadMessage = "ready" | ReadBodyAnswer
