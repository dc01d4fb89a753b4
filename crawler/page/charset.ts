import { isUtf8 } from "node:buffer"
import iconv from "iconv-lite"

/** How far into a document the HTML standard looks for a `<meta charset>`. */
const PRESCAN_BYTES = 1024

/**
 * Text of a body, by the HTML standard's order: byte order mark, then the header's charset, then `<meta>`.
 *
 * Two departures, since servers set the header for whole folders: bytes that are valid UTF-8 beyond ASCII are
 * UTF-8 whatever was said, and bytes that are not, though UTF-8 was said, follow `<meta>` if it says otherwise.
 * With nothing to go by, or a name nobody knows, invalid UTF-8 is read as windows-1252.
 */
export function decodeText(body: Uint8Array, declared: string | null): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const mark = byteOrderMark(bytes)
  if (mark !== null) return decoded(bytes, mark)
  if (isUtf8(bytes)) {
    const sevenBit = known(declared) ?? known(metaCharset(bytes))
    // ISO-2022-JP and HZ look like plain ASCII; UTF-7 is refused by every browser and by us.
    return sevenBit !== null && /^(?:iso-?2022|hz)/i.test(sevenBit)
      ? decoded(bytes, sevenBit)
      : bytes.toString("utf8")
  }
  const header = known(declared)
  const meta = known(metaCharset(bytes))
  const charset = header !== null && header !== "utf8" ? header : (meta ?? header)
  return decoded(bytes, charset ?? "windows-1252")
}

/** Halves of a pair alone, which UTF-16 lets through, are no characters (Encoding Standard §14.2.1): U+FFFD stands for each. */
const decoded = (bytes: Buffer, charset: string): string => iconv.decode(bytes, charset).toWellFormed()

function byteOrderMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf8"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  return null
}

function metaCharset(bytes: Buffer): string | null {
  const head = bytes.toString("latin1", 0, PRESCAN_BYTES)
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w.:+-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:+-]+)/i.exec(head)?.[1] ??
    null
  )
}

/** The decoder's name for a label of the WHATWG Encoding Standard, or null. */
function known(label: string | null): string | null {
  if (label === null) return null
  const name = label.toLowerCase()
  if (name === "utf-8" || name === "utf8") return "utf8"
  if (/^utf-?(?:7|32)/.test(name)) return null
  // The standard reads these three as windows-1252, which has letters where they have control codes.
  if (/^(?:iso[-_]?8859-?1|latin-?1|(?:us-)?ascii)$/.test(name)) return "windows-1252"
  if (/^(?:gb2312|gbk|x-gbk)$/.test(name)) return "gb18030"
  return iconv.encodingExists(name) ? name : null
}
