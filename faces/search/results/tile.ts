/** Number of tile colours in results.css. */
const TILES = 6

/** A host without a name: `127.0.0.1`, `[::1]`, `localhost`, each with or without a port. */
const IS_NAMELESS = /^(?:[\d.]+|\[.*\]|localhost)(?::\d+)?$/

/**
 * The letter and the colour that distinguish sites. A host that is only an IP address has no letter of its own (all
 * would be "1", next to citation numbers): its letter comes from its source, or from the page's title for users who may
 * not know the source.
 */
export function tileOf(
  host: string,
  source: string | undefined,
  title: string,
): { letter: string; colour: number } {
  const name = IS_NAMELESS.test(host) ? (source ?? title) : host.replace(/^www\./, "")
  let sum = 0
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 997
  const [letter = "•"] = /[\p{L}\p{N}]/u.exec(name) ?? []
  return { letter: letter.toUpperCase(), colour: sum % TILES }
}
