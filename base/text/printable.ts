/**
 * Characters that control a terminal or move text around: C0 and C1 control characters (ISO/IEC 6429), except line
 * breaks and tabs, and the characters that change the direction of text (Unicode UAX 9).
 */
const COMMANDS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g

/**
 * Makes text safe for a terminal, since pages, addresses and errors may contain control sequences. These are written as
 * JSON escapes (`\u001b`), so that JSON keeps its meaning.
 */
export const printable = (text: string): string => text.replace(COMMANDS, escaped)

/** Like {@link printable}, but on one line. */
export const printableLine = (text: string): string =>
  text.replace(/[\r\n\t]+/g, " ").replace(COMMANDS, escaped)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
