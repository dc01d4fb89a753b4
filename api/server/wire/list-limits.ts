/** Entries of a list at most, and when none is asked for. */
export const MAX_LIMIT = 1000
export const DEFAULT_LIMIT = 50
