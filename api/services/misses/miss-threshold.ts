/**
 * A best score below this says that nothing here answers. Of sixteen questions to the index of the handbook, eleven that it does
 * not answer had a best score of 0.12 to 0.20, and the others of 0.57 or more.
 */
export const DOUBTFUL = 0.25

/** Whether a search found nothing that is likely to answer. */
export const isMiss = (results: readonly { readonly score: number }[]): boolean =>
  (results[0]?.score ?? 0) < DOUBTFUL
