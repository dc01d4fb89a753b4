/** A failure whose message is for people and says what to do next. Commands show it without a stack. */
export class KnownError extends Error {}
