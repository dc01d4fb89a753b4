const FONT = Buffer.from("/Font")
/** The maximum number of characters between `/Type` and `/Font` in an entry. */
const MAX_BLANKS = 16
/** How many characters of a font's dictionary are read before and after `/Type /Font`; the dictionary's long parts are separate objects. */
const MAX_DICTIONARY_CHARS = 4000
/** The maximum number of dictionaries read; a file of thousands of pages has hundreds of fonts. */
const MAX_FONTS = 5000
/** The shortest possible name entry (with an empty name): it is no longer than `/Type/Font`. */
const NAME = "/BaseFont/"

/**
 * Adds a name to each font that lacks the name required by ISO 32000-1 §9.6: the library rejects such fonts, with all
 * their text. The name replaces the entry `/Type /Font`, which the library doesn't read, so no offset changes. Fonts in
 * compressed objects are left as they are: programs that compress objects name their fonts.
 */
export function withFontNames(body: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let named: Buffer | null = null
  let fonts = 0
  for (
    let at = bytes.indexOf(FONT);
    at >= 0 && fonts < MAX_FONTS;
    at = bytes.indexOf(FONT, at + FONT.length)
  ) {
    const end = at + FONT.length
    const type = /\/Type\s*$/.exec(bytes.toString("latin1", Math.max(0, at - MAX_BLANKS), at))
    if (type === null || !/^[\s/<>[(]/.test(bytes.toString("latin1", end, end + 1))) continue
    fonts += 1
    const start = at - type[0].length
    const entries = entriesAround(bytes, start, end)
    if (!/\/Subtype\s*\/(?!Type3\b)/.test(entries) || /\/BaseFont\b/.test(entries)) continue
    named ??= Buffer.from(new Uint8Array(body).buffer)
    named.write(NAME.padEnd(end - start), start, "latin1")
  }
  return named === null ? body : new Uint8Array(named.buffer)
}

/** The text of the dictionary around a position, without the dictionaries nested in it. */
function entriesAround(bytes: Buffer, start: number, end: number): string {
  const before = bytes.toString("latin1", Math.max(0, start - MAX_DICTIONARY_CHARS), start)
  const after = bytes.toString("latin1", end, end + MAX_DICTIONARY_CHARS)
  return `${own(before.split(/(<<|>>)/).toReversed(), "<<")} ${own(after.split(/(<<|>>)/), ">>")}`
}

/** Joins the parts up to the mark that ends the dictionary on this side. */
function own(parts: readonly string[], ends: "<<" | ">>"): string {
  let depth = 0
  let text = ""
  for (const part of parts) {
    if (part === "<<" || part === ">>") depth += part === ends ? -1 : 1
    else if (depth === 0) text += ` ${part}`
    if (depth < 0) break
  }
  return text
}
