/**
 * Makes a failed test print the values themselves, not `[ Array(1) ]`, whichever store its state is in. Readers who see
 * only the end of a run, as printed by `.ci/run`, have nothing else.
 */
export const FAILURES = { chaiConfig: { truncateThreshold: 2000 } } as const
