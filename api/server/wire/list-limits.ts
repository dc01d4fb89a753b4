/** Entries of a list at most, and when none is asked for. */
export const MAX_LIMIT = 1000
export const DEFAULT_LIMIT = 50
/**
 * Text that is more than white space, for every reader of a schema: of some, `\s` has U+0085 as well (Unicode's White_Space),
 * of others the separators U+001C to U+001F.
 */
export const NOT_BLANK = "[^\\s\\u0085\\u001c-\\u001f]"
