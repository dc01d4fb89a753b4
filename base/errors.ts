/** A failure whose message is for people and says what to do next. Commands show it without a stack. */
export class KnownError extends Error {}

/**
 * Something is asked that is not done: a value is wrong, the caller or an address is not let in, what is meant is not there, too much
 * waits already, what is kept of the caller is full, or there is no room now. The message is for the caller.
 */
export class Refusal extends KnownError {
  /** Null: for what the answer says alone. */
  readonly because: "wrong" | "denied" | "forbidden" | "missing" | "crowded" | "full" | "busy" | null

  constructor(because: Refusal["because"], message: string) {
    super(message)
    this.because = because
  }
}
