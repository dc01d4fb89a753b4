/**
 * A best score below this means that no page here answers the question. Among sixteen questions to the index of the
 * handbook, eleven without an answer had a best score of 0.12 to 0.20, and the others 0.57 or more.
 */
export const DOUBTFUL = 0.25

/** Whether no result of a search is likely to answer the question. */
export const isMiss = (results: readonly { readonly score: number }[]): boolean =>
  (results[0]?.score ?? 0) < DOUBTFUL
