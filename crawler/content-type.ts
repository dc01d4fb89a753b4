/** What a response claims to be and what its first bytes show. */
export interface ContentKind {
  readonly kind: "html" | "text" | "xml" | "unsupported"
  /** For `unsupported`: why. */
  readonly detail: string
}

const HTML = new Set(["text/html", "application/xhtml+xml"])
const TEXT = new Set(["text/plain", "text/markdown", "text/x-markdown"])
const XML = /^(?:text|application)\/(?:[\w.+-]+\+)?xml$/

/** The media type of a Content-Type header, lower case, without parameters; empty when there is none. */
export function mediaType(header: string | undefined): string {
  return (header?.split(";")[0] ?? "").trim().toLowerCase()
}

/** The charset parameter of a Content-Type header, or null. */
export function charsetParameter(header: string | undefined): string | null {
  return /;\s*charset\s*=\s*"?([\w.:+-]+)/i.exec(header ?? "")?.[1] ?? null
}

/** Whether a body of this media type is worth downloading at all. */
export function isReadableType(type: string): boolean {
  return (
    type === "" || type === "application/octet-stream" || HTML.has(type) || TEXT.has(type) || XML.test(type)
  )
}

const MAGIC: readonly (readonly [name: string, bytes: string])[] = [
  ["a PDF file", "%PDF-"],
  ["a PNG image", "\x89PNG"],
  ["a GIF image", "GIF8"],
  ["a JPEG image", "\xff\xd8\xff"],
  ["a zip archive", "PK\x03\x04"],
  ["a gzip archive", "\x1f\x8b"],
  ["a PostScript file", "%!PS-Adobe-"],
]

const SNIFFED_BYTES = 1445

/**
 * What a body really is. A type that promises text is believed only when the first bytes hold no binary
 * data (WHATWG MIME Sniffing §7.2); without a type, or with the one that servers send for want of a better,
 * the bytes decide alone.
 */
export function sniff(type: string, body: Uint8Array): ContentKind {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SNIFFED_BYTES))
  const claimed = type === "" ? "no content type" : type
  const start = head.toString("latin1")
  for (const [name, magic] of MAGIC) {
    if (start.startsWith(magic)) return unsupported(`${name} sent as ${claimed}`)
  }
  if (!hasUnicodeMark(head) && hasBinaryData(head)) return unsupported(`binary data sent as ${claimed}`)
  if (HTML.has(type)) return { kind: "html", detail: "" }
  if (TEXT.has(type)) return { kind: "text", detail: "" }
  if (XML.test(type)) return { kind: "xml", detail: "" }
  if (!isReadableType(type)) return unsupported(claimed)
  if (HTML_START.test(withoutComments(start))) return { kind: "html", detail: "" }
  return type === "" && body.byteLength > 0 ? { kind: "text", detail: "" } : unsupported(claimed)
}

const HTML_START = /^<(?:!doctype html|html|head|body|title|h1|p|div|meta)[\s>]/i

// A loop, since a regular expression over comments that repeat takes time without bound.
function withoutComments(text: string): string {
  let rest = text.trimStart()
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", 4)
    if (end < 0) return ""
    rest = rest.slice(end + 3).trimStart()
  }
  return rest
}

function unsupported(detail: string): ContentKind {
  return { kind: "unsupported", detail }
}

function hasUnicodeMark(head: Buffer): boolean {
  return (head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0xff && head[1] === 0xfe)
}

function hasBinaryData(head: Buffer): boolean {
  for (const byte of head) {
    if (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f))
      return true
  }
  return false
}
