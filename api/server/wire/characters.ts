/** Characters of a text as JSON Schema counts them in `maxLength`: code points (RFC 8259), one for an emoji of two units. */
export const characters = (text: string): number => Array.from(text).length

/**
 * Text that is more than white space, for every reader of a schema: of some, `\s` has U+0085 as well (Unicode's White_Space),
 * of others the separators U+001C to U+001F.
 */
export const NOT_BLANK = "[^\\s\\u0085\\u001c-\\u001f]"
