import { formatOfAddress, formatOfType } from "./formats/document-format.ts"
import { legacyOfAddress, legacyOfType } from "./formats/legacy-office.ts"
import { type SniffedDocument, sniffDocument } from "./formats/sniff-document.ts"
import { isUtf16 } from "./charset.ts"
import { isMarkdownAddress, TEXT_TYPES } from "./text-formats.ts"
import { isTextFormatType, textFormatsOf, TEXT_START_CHARS } from "./texts/text-format-of.ts"

/** The kind of a response, by its bytes, its media type and its address. */
export type ContentKind = { readonly kind: "html" | "text" } | { readonly kind: "xml" } | SniffedDocument

const HTML = new Set(["text/html", "application/xhtml+xml"])
const XML = /^(?:text|application)\/(?:[\w.+-]+\+)?xml$/

/** Whether a body of this media type, found at `url`, is worth downloading at all. */
export function isReadableType(type: string, url: string): boolean {
  if (type === "" || type === "application/octet-stream") return true
  if (HTML.has(type) || TEXT_TYPES.has(type) || XML.test(type) || formatOfType(type) !== null) return true
  if (legacyOfType(type) !== null || isTextFormatType(type, url)) return true
  return VAGUE.test(type) && isDocumentAddress(url)
}

/** Whether an address ends like that of a document. */
export const isDocumentAddress = (url: string): boolean =>
  formatOfAddress(url) !== null || legacyOfAddress(url) !== null

/** The types that servers send for documents when they don't know a better one. */
const VAGUE =
  /^(?:binary\/octet-stream|application\/(?:(?:x-)?zip(?:-compressed)?|(?:x-|force-)?download|x-msdownload|unknown))$/

const MAGIC: readonly (readonly [name: string, bytes: string])[] = [
  ["a PNG image", "\x89PNG"],
  ["a GIF image", "GIF8"],
  ["a JPEG image", "\xff\xd8\xff"],
  ["a zip archive", "PK\x03\x04"],
  ["a gzip archive", "\x1f\x8b"],
  ["a PostScript file", "%!PS-Adobe-"],
]

const SNIFFED_BYTES = 1445

/**
 * The real kind of a body. A type that indicates text is believed only when the first bytes contain no binary data
 * (WHATWG MIME Sniffing §7.2). Without a type, or with the generic one that servers send, the bytes alone decide.
 * Documents are recognised by their bytes, whatever the type.
 * @param readsPictures whether a picture counts as a document too. Default false
 */
export function sniff(type: string, body: Uint8Array, url: string, readsPictures = false): ContentKind {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SNIFFED_BYTES))
  const claimed = type === "" ? "no content type" : type
  const start = head.toString("latin1")
  const document = sniffDocument(type, body, url)
  const isPicture = document?.kind === "document" && document.format === "picture"
  if (document !== null && (!isPicture || readsPictures)) return document
  for (const [name, magic] of MAGIC) {
    if (start.startsWith(magic)) return unsupported(`${name} sent as ${claimed}`)
  }
  if (isPicture) return unsupported(`an image sent as ${claimed}`)
  if (!isUtf16(head) && hasBinaryData(head)) return unsupported(`binary data sent as ${claimed}`)
  if (HTML.has(type)) return { kind: "html" }
  if (TEXT_TYPES.has(type)) return { kind: "text" }
  if (XML.test(type)) return { kind: XHTML_START.test(withoutProlog(start)) ? "html" : "xml" }
  // Checked before HTML, because a markdown page or a script may begin with HTML.
  if (isMarkdownAddress(url) || mayBeTextFormat(type, body, url)) return { kind: "text" }
  if (type !== "" && type !== "application/octet-stream") return unsupported(claimed)
  if (HTML_START.test(withoutProlog(start))) return { kind: "html" }
  return type === "" && body.byteLength > 0 ? { kind: "text" } : unsupported(claimed)
}

/** Whether a text body may be in one of the text formats that have a structure of their own. */
const mayBeTextFormat = (type: string, body: Uint8Array, url: string): boolean =>
  textFormatsOf(type, url, startOf(body)).length > 0

/** Whether a text is read in the processes for documents, because its library is large. */
export const isHeavyText = (type: string, body: Uint8Array, url: string): boolean =>
  textFormatsOf(type, url, startOf(body)).some(({ isHeavy }) => isHeavy === true)

const startOf = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, TEXT_START_CHARS)).toString("latin1")

/** Matches the start of a web page that has an XML type. */
const XHTML_START = /^(?:<!doctype html[\s>]|<(?:[a-z]{1,10}:)?html[\s>])/i

const HTML_START = /^<(?:!doctype html|html|head|body|title|h1|p|div|meta)[\s>]/i

/** The text that follows a byte order mark, comments and processing instructions. */
// This is a loop, because a regular expression over repeated comments takes unbounded time.
function withoutProlog(text: string): string {
  let rest = text.replace(/^\xef\xbb\xbf/, "").trimStart()
  for (;;) {
    const close = rest.startsWith("<!--") ? "-->" : rest.startsWith("<?") ? "?>" : null
    if (close === null) return rest
    const end = rest.indexOf(close, 2)
    if (end < 0) return ""
    rest = rest.slice(end + close.length).trimStart()
  }
}

function unsupported(detail: string): ContentKind {
  return { kind: "unsupported", detail }
}

function hasBinaryData(head: Buffer): boolean {
  for (const byte of head) {
    if (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f))
      return true
  }
  return false
}
