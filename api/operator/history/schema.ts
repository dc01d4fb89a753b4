/** The samples that are kept reach back no further. */
export const MOST_HOURS = 8 * 24
export const DEFAULT_HOURS = 24
