/**
 * Milliseconds since 1970 by the wall clock: what is kept of times is told by it, so that tests can let weeks pass. It may
 * be set at any time; waits go by `steadyNow()`.
 */
export type Clock = () => number
