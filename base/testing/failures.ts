/**
 * Makes a failed test print the values themselves, and not `[ Array(1) ]`, whichever store its state is on. A reader who sees
 * only the end of a run, as `.ci/run` prints it, has nothing else.
 */
export const FAILURES = { chaiConfig: { truncateThreshold: 2000 } } as const
