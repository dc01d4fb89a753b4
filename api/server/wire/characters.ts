/** Number of characters in a text as JSON Schema counts them in `maxLength`: code points (RFC 8259); an emoji of two code units counts as one. */
export const characters = (text: string): number => Array.from(text).length

/**
 * Pattern for text that contains more than white space. Programs that read a schema disagree on `\s`: some treat U+0085
 * as white space, some the separators U+001C to U+001F, some the byte order mark.
 */
export const NOT_BLANK = String.raw`[^\s\x1c-\x1f\x85\ufeff]`
