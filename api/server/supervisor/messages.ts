/** The messages of a child process to the supervisor over its IPC channel. */
export type ChildMessage =
  /** The API answers. `apiKey` is there only when this start made the first key. */
  | {
      readonly kind: "ready"
      /** Address for users. */
      readonly url: string
      /** Address on this machine. */
      readonly localUrl: string
      readonly apiKey: string | null
      /** Whether an operator's key is set. */
      readonly operatorKey: boolean
      /** The appliance's own handbook is being crawled. */
      readonly handbook: boolean
      /** Whether searches are for sale, in one line; null: selling isn't set up. */
      readonly sales: string | null
      /** That the state store is not the one of this data folder, and what to do; null: it is. */
      readonly lostState: string | null
      /** That the disk is full, or nearly so that crawls wait, for the operator; null: it has room. */
      readonly lowDisk: string | null
      /** The notice of a read-only appliance; null: it isn't read-only. */
      readonly readOnly: string | null
    }
  /** The first crawl of the handbook is over; `found` when any page of it is in the index. */
  | { readonly kind: "handbook-crawled"; readonly found: boolean }
  /** Starting again would not help; `message` says what would. */
  | { readonly kind: "fatal"; readonly message: string }

/** Tells the supervisor, if there is one. @returns whether anybody listens. */
export function tellSupervisor(message: ChildMessage): boolean {
  if (process.send === undefined) return false
  process.send(message)
  return true
}
