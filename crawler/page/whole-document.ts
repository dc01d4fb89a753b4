/** The maximum number of bytes after the end of a page, where caches and proxies write only comments. */
const TAIL_BYTES = 2048
/** The size of the record that ends a zip archive, without its comment (APPNOTE.TXT §4.3.16). */
const ZIP_END_BYTES = 22

const HTML_END = /<\/(?:html|body)\s*>(?:\s|<\/html\s*>|<!--(?:(?!-->)[^])*-->)*$/i
const PDF_END = /%%EOF\s*$/

/**
 * Whether a document's own end shows that it is complete, even if the connection broke: an HTML page, a PDF, or an
 * archive such as a Word file. Plain text has no such end.
 */
export function isWholeDocument(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // In UTF-16 every other byte of these characters is zero.
  const tail = bytes.toString("latin1", Math.max(0, bytes.length - TAIL_BYTES)).replaceAll("\0", "")
  if (bytes.toString("latin1", 0, 5) === "%PDF-") return PDF_END.test(tail)
  if (bytes.toString("latin1", 0, 2) === "PK")
    return bytes.toString("latin1", Math.max(0, bytes.length - ZIP_END_BYTES)).startsWith("PK\x05\x06")
  return HTML_END.test(tail)
}
