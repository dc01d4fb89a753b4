/** Milliseconds since 1970: what is kept of times is told by it, so that tests can let weeks pass. */
export type Clock = () => number
