/** The characters of a page id in the order in which texts are compared. */
const DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
/** 48 bits: a number holds them exactly. */
const CHARACTERS = 8

/**
 * The beginning of a page id as a number, which is greater for the id that comes later. The server compares texts
 * without regard to case, numbers exactly; and it lists documents in the order of a number.
 */
export function pageKey(id: string): number {
  let key = 0
  for (const character of id.slice(0, CHARACTERS)) key = key * DIGITS.length + DIGITS.indexOf(character)
  return key
}
