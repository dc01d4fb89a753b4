import { isUtf8 } from "node:buffer"
import iconv from "iconv-lite"
import { prescan, xmlDeclaration } from "./charset-prescan.ts"
import { mayBeTwiceEncoded, onceEncoded } from "./twice-encoded.ts"

/** What bytes are the text of, which decides where they may name their encoding: in `<meta>`, in an XML declaration, or not at all. */
export type TextKind = "html" | "xml" | "text"

/**
 * Text of a body, by its {@link charsetOf}. Half a pair of UTF-16 is no character (Encoding Standard §14.2.1): U+FFFD stands for
 * it. What was surely encoded twice is repaired.
 * @param declared charset of the Content-Type header
 */
export function decodeText(body: Uint8Array, declared: string | null, kind: TextKind = "html"): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const charset = charsetOf(bytes, declared, kind)
  const text = decode(bytes, charset)
  return charset !== "utf-8" || mayBeTwiceEncoded(bytes) ? onceEncoded(text) : text
}

/**
 * The encoding of a body by its name in the Encoding Standard, in the HTML standard's order: byte order mark, the header's charset,
 * what the page says.
 *
 * Departures where the bytes are certain. Servers set the header for whole folders, so bytes that are valid UTF-8 beyond ASCII
 * are UTF-8 whatever was said, and bytes that are not, though UTF-8 was said, follow the page. UTF-16 without a mark, and ISO-2022-JP, are
 * known by their zeros and shifts. With nothing to go by, bytes that are nearly all UTF-8 are that, and others windows-1252.
 */
export function charsetOf(body: Uint8Array, declared: string | null, kind: TextKind = "html"): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const certain = byteOrderMark(bytes) ?? utf16WithoutMark(bytes)
  if (certain !== null) return certain
  if (isUtf8(bytes)) return isIso2022Jp(bytes) ? "iso-2022-jp" : "utf-8"
  const header = declared === null ? null : encodingOf(declared)
  if (header !== null && header !== "utf-8") return header
  const said = saidByPage(bytes, kind) ?? header
  if (said !== null && said !== "utf-8") return said
  const damage = damageOf(decode(bytes, "utf-8"))
  return damage <= (said === null ? MOSTLY_UTF8 : SOMEWHAT_UTF8) ? "utf-8" : "windows-1252"
}

/** Damage up to which bytes that nothing is said of are UTF-8. Other encodings are a tenth of it by chance. */
const MOSTLY_UTF8 = 0.25
/** The same where UTF-8 was said: a page without a single character of it is not. */
const SOMEWHAT_UTF8 = 0.99

/**
 * Node's decoder has the older tables of these two, without Hong Kong's characters and without half of the Korean
 * syllables.
 */
const BY_ICONV: Readonly<Record<string, string>> = { big5: "big5-hkscs", "euc-kr": "cp949" }

function decode(bytes: Buffer, charset: string): string {
  // A third of the decoder's time, and UTF-8 holds no half of a pair.
  if (charset === "utf-8") return bytes.toString("utf8", byteOrderMark(bytes) === null ? 0 : 3)
  const own = BY_ICONV[charset]
  return (
    own === undefined ? new TextDecoder(charset).decode(bytes) : iconv.decode(bytes, own)
  ).toWellFormed()
}

function byteOrderMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  return null
}

/** UTF-16 that begins with two characters of ASCII, as any markup does: no text in bytes has zeros. */
export function utf16WithoutMark([a, b, c, d]: Uint8Array): string | null {
  if (a === 0 && c === 0 && isAscii(b) && isAscii(d)) return "utf-16be"
  return b === 0 && d === 0 && isAscii(a) && isAscii(c) ? "utf-16le" : null
}

const isAscii = (byte: number | undefined): boolean => byte !== undefined && byte > 0 && byte < 0x80

const ESCAPE = 0x1b

/** ISO-2022-JP is all ASCII but for what is between a shift into JIS X 0208 and the next shift. */
const isIso2022Jp = (bytes: Buffer): boolean =>
  bytes.includes(ESCAPE) &&
  bytes
    .toString("latin1")
    .split(String.fromCharCode(ESCAPE))
    .some((part, i) => i > 0 && /^\$[@B](?:[!-~]{2})+(?:[\r\n]|$)/.test(part))

/** Spellings outside the standard that are in use, and the standard's. */
const NEAR_MISSES: readonly (readonly [RegExp, string])[] = [
  [/^(?:win(?:dows)?|cp|ms)[-_]?(125\d|874)$/, "windows-$1"],
  [/^iso[-_]?8859[-_](\d\d?)$/, "iso-8859-$1"],
  [/^utf[-_ ]?8(?:\W.*|mb[34])?$/, "utf-8"],
]

/** The encoding for a label of the Encoding Standard, or for a near miss; null for any other. */
function encodingOf(label: string): string | null {
  const bare = label.replace(/^[\s"']+|[\s"';,/]+$/g, "").toLowerCase()
  const near = NEAR_MISSES.find(([miss]) => miss.test(bare))
  try {
    return new TextDecoder(near === undefined ? bare : bare.replace(...near)).encoding
  } catch {
    return null
  }
}

function saidByPage(bytes: Buffer, kind: TextKind): string | null {
  if (kind === "text") return null
  const named =
    kind === "xml"
      ? xmlDeclaration(bytes.toString("latin1", 0, 1024))
      : prescan(bytes, (label) => encodingOf(label) !== null)
  const encoding = named === null ? null : encodingOf(named.label)
  if (named === null || encoding === null) return null
  // What was read by bytes is not in UTF-16, and a page for all has no characters of its own.
  const said = encoding.startsWith("utf-16")
    ? "utf-8"
    : encoding === "x-user-defined"
      ? "windows-1252"
      : encoding
  return named.isLate && damageOf(decode(bytes, said)) > DAMAGED ? null : said
}

/** Share of the characters beyond ASCII that may be damaged in a text of its encoding. */
const DAMAGED = 0.05

/** Share of the characters beyond ASCII that no bytes of this encoding are, 0 to 1; 0 when all is ASCII. */
function damageOf(text: string): number {
  let beyond = 0
  let lost = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) beyond += 1
    if (code === 0xfffd) lost += 1
  }
  return beyond === 0 ? 0 : lost / beyond
}
