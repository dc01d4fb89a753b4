/**
 * Makes a failed test print the values themselves, not `[ Array(1) ]`, regardless of the store that its state is in.
 * Readers who see only the end of a run, as printed by `.ci/run`, have nothing else to go on.
 */
export const FAILURES = { chaiConfig: { truncateThreshold: 2000 } } as const
