/** The characters of a page id in the order in which texts are compared. */
const DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
/** Number of characters in a key: 48 bits, which a number represents exactly. */
const CHARACTERS = 8

/**
 * The beginning of a page id as a number that increases with the order of the ids. The server compares texts
 * case-insensitively but numbers exactly, and it lists documents in the order of a number.
 */
export function pageKey(id: string): number {
  let key = 0
  for (const character of id.slice(0, CHARACTERS)) key = key * DIGITS.length + DIGITS.indexOf(character)
  return key
}
