import type { StateValue } from "../state-port.ts"

// What a caller and the thread that holds the connections say to each other.

/** Where a state is kept. */
export interface ServerLocation {
  /** `postgres://user@host:port/database`, with a password or without; may hold a secret. */
  readonly url: string
  readonly password: string
  readonly schema: string
}

/** A statement as it goes over the wire. */
export interface AskedStatement {
  readonly sql: string
  readonly values: readonly StateValue[]
}

/** Statements that change tables of any size. */
export const SCRIPT_MS = 3_600_000

export type Asked =
  | { readonly kind: "open"; readonly connection: number; readonly location: ServerLocation }
  | { readonly kind: "close"; readonly connection: number }
  /** `alone`: in a transaction of its own that waits for its turn among writers. */
  | ({ readonly kind: "run"; readonly connection: number; readonly alone: boolean } & AskedStatement)
  /** `script`: may be several statements, for the simple protocol. */
  | { readonly kind: "script"; readonly connection: number; readonly sql: string; readonly alone: boolean }
  | { readonly kind: "begin"; readonly connection: number; readonly isSnapshot: boolean }
  | { readonly kind: "end"; readonly connection: number; readonly how: "commit" | "rollback" }
  /** Longest wait for other writers; 0: none. */
  | { readonly kind: "patience"; readonly connection: number; readonly ms: number }
  /** Whether what is committed is on the disk of the server when the call returns. */
  | { readonly kind: "durable"; readonly connection: number; readonly isDurable: boolean }
  | ({ readonly kind: "cursor"; readonly connection: number; readonly cursor: number } & AskedStatement)
  | { readonly kind: "fetch"; readonly connection: number; readonly cursor: number }
  | { readonly kind: "drop"; readonly connection: number; readonly cursor: number }

/** Rows as lists, with the names of their columns once. */
export interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly changes: number
}

/** `code`: of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), or of a socket. */
export interface Failure {
  readonly message: string
  readonly code: string
}

export type Answer = { readonly value: Rows | null } | { readonly failure: Failure }
