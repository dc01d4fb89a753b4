/** Characters of a text as JSON Schema counts them in `maxLength`: code points (RFC 8259), one for an emoji of two units. */
export const characters = (text: string): number => Array.from(text).length

/**
 * Pattern of a text that holds more than white space. Programs that read a schema disagree on `\s`: some take U+0085 for white space,
 * some the separators U+001C to U+001F, some the byte order mark.
 */
export const NOT_BLANK = String.raw`[^\s\x1c-\x1f\x85\ufeff]`
