/** A failure whose message is for people and says what to do next. Commands show it without a stack. */
export class KnownError extends Error {}

/**
 * Something is asked that is not done: a value is wrong, it is not for this caller, or there is no room for it now. The message
 * is for the caller.
 */
export class Refusal extends KnownError {
  readonly because: "wrong" | "forbidden" | "busy"

  constructor(because: Refusal["because"], message: string) {
    super(message)
    this.because = because
  }
}
