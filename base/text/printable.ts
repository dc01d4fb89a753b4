/**
 * What a terminal would obey, or show elsewhere than it stands: the controls of C0 and C1 (ISO/IEC 6429), except line
 * breaks and tabs, and the characters that turn the direction of text round (Unicode UAX 9).
 */
const COMMANDS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g

/**
 * A text for a terminal: what pages, addresses and errors say may hold sequences that it would obey. These stand there as
 * JSON writes them (`\u001b`), so that JSON stays what it is.
 */
export const printable = (text: string): string => text.replace(COMMANDS, escaped)

/** The same on one line. */
export const printableLine = (text: string): string =>
  text.replace(/[\r\n\t]+/g, " ").replace(COMMANDS, escaped)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
