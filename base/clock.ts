/**
 * Milliseconds since 1970 by the wall clock. Stored times use this, so that tests can make weeks pass. The wall clock
 * can be set at any time; waits use `steadyNow()`.
 */
export type Clock = () => number
