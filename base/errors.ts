/** A failure whose message is for people and says what to do next. Commands show it without a stack. */
export class KnownError extends Error {}

/**
 * A request is refused: a value is wrong, or is valid but does not match the current state ("unfit", "conflict"); the
 * caller ("denied") or an address ("forbidden") is not allowed; the requested object does not exist; too many requests
 * are already waiting; the caller's storage is full; or the appliance is busy. The message is for the caller.
 */
export class Refusal extends KnownError {
  /** Why the request is refused; null if the response has its own status. */
  readonly because:
    | "wrong"
    | "denied"
    | "forbidden"
    | "missing"
    | "unfit"
    | "conflict"
    | "crowded"
    | "full"
    | "busy"
    | null

  /** Problems by field, if the fields are known. */
  readonly problems: readonly { readonly field: string; readonly message: string }[]

  constructor(because: Refusal["because"], message: string, problems: Refusal["problems"] = []) {
    super(message)
    this.because = because
    this.problems = problems
  }
}
