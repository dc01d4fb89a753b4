/**
 * What a failed test says, whichever store its state is on: the values themselves, and not `[ Array(1) ]`. Whoever reads only the end of a
 * run, as `.ci/run` prints it, has nothing else to go by.
 */
export const FAILURES = { chaiConfig: { truncateThreshold: 2000 } } as const
