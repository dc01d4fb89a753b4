/** Matches the codes of connection exceptions, intervention by the operator (except for a cancelled statement), too many connections, and socket errors. */
const UNREACHABLE = /^(?:08...|57P..|53300|E[A-Z_]+)$/
const GONE = /timeout|terminated|closed|ended|not queryable|connection|calling end on the pool/i

/** PostgreSQL refused a statement, or could not be reached. */
export class PostgresError extends Error {
  override readonly name = "PostgresError"
  /** PostgreSQL's error code (https://www.postgresql.org/docs/current/errcodes-appendix.html), or the code of a socket error. */
  readonly code: string
  /** The corresponding SQLite code, for callers that distinguish errors: 5 means that other writers took too long. */
  readonly errcode: number | undefined
  /** Whether the server cannot be reached, perhaps only temporarily. */
  readonly isUnreachable: boolean

  constructor({ message, code }: { readonly message: string; readonly code: string }) {
    const isUnreachable = UNREACHABLE.test(code) || (code === "" && GONE.test(message))
    super(
      isUnreachable
        ? `The PostgreSQL server that keeps the state cannot be reached (${message || code}).`
        : message,
    )
    this.code = code
    this.errcode = code === "55P03" ? 5 : undefined
    this.isUnreachable = isUnreachable
  }
}
