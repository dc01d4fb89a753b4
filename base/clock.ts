/**
 * Milliseconds since 1970 by the wall clock. Stored times come from this clock, so that tests can simulate weeks. The
 * wall clock can be set at any time; waits use `steadyNow()`.
 */
export type Clock = () => number
