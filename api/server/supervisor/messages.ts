/** The messages of a child process to the supervisor over its IPC channel. */
export type ChildMessage =
  /** The API is answering. `apiKey` is present only if this start created the first key. */
  | {
      readonly kind: "ready"
      /** Address for users. */
      readonly url: string
      /** Address on this machine. */
      readonly localUrl: string
      readonly apiKey: string | null
      /** Whether an operator's key is set. */
      readonly operatorKey: boolean
      /** Whether the appliance's own handbook is being crawled. */
      readonly handbook: boolean
      /** Whether searches are for sale, in one line; null: selling isn't set up. */
      readonly sales: string | null
      /** The notice that the state store does not belong to this data folder, and what to do; `null` if it does. */
      readonly lostState: string | null
      /** The notice for the operator that the disk is full, or so nearly full that crawls have to wait; `null` if there is room. */
      readonly lowDisk: string | null
      /** The notice of a read-only appliance; `null` if it isn't read-only. */
      readonly readOnly: string | null
    }
  /** The first crawl of the handbook has ended; `found` if any of its pages is in the index. */
  | { readonly kind: "handbook-crawled"; readonly found: boolean }
  /** Starting again would not help; `message` says what to do instead. */
  | { readonly kind: "fatal"; readonly message: string }

/** Sends the supervisor a message, if there is one. @returns whether a supervisor is listening */
export function tellSupervisor(message: ChildMessage): boolean {
  if (process.send === undefined) return false
  process.send(message)
  return true
}
