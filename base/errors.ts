/** A failure whose message is for people and says what to do next. Commands show it without a stack. */
export class KnownError extends Error {}

/**
 * A request is refused: a value is wrong, the caller ("denied") or an address ("forbidden") is not allowed, the thing asked for does not
 * exist, too many requests already wait, the caller's storage is full, or the appliance is busy. The message is for the caller.
 */
export class Refusal extends KnownError {
  /** Null: the answer carries its own status. */
  readonly because: "wrong" | "denied" | "forbidden" | "missing" | "crowded" | "full" | "busy" | null

  constructor(because: Refusal["because"], message: string) {
    super(message)
    this.because = because
  }
}
