/** The most entries of a list that may be asked for, and the default. */
export const MAX_LIMIT = 1000
export const DEFAULT_LIMIT = 50
