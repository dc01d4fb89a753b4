/** Characters of a text as JSON Schema counts them in `maxLength`: code points (RFC 8259), one for an emoji of two units. */
export const characters = (text: string): number => Array.from(text).length
