/** The maximum number of list entries that can be requested, and the default. */
export const MAX_LIMIT = 1000
export const DEFAULT_LIMIT = 50
