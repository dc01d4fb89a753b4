import { PASSWORD_PROTECTED } from "./document-error.ts"
import { type DocumentFormat, formatOfAddress, formatOfType } from "./document-format.ts"
import { zipNames } from "./archive/zip.ts"

export type SniffedDocument =
  | { readonly kind: "document"; readonly format: DocumentFormat }
  | { readonly kind: "unsupported"; readonly detail: string }

/** Some programs put a line or two before it; readers look this far (ISO 32000-1, appendix H). */
const PDF_HEADER_WITHIN = 1024
/** Compound File Binary: Office files before 2007, and the locked ones of today. */
const COMPOUND_FILE = Buffer.from("d0cf11e0a1b11ae1", "hex")
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le")

/**
 * What document a body is by its bytes: a PDF, an RTF file, or an archive by what it holds. Only a broken archive is
 * taken for what its media type or address say. Null: none of these.
 */
export function sniffDocument(type: string, body: Uint8Array, url: string): SniffedDocument | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.toString("latin1", 0, PDF_HEADER_WITHIN)
  if (start.startsWith("%PDF-") || (formatOfType(type) === "pdf" && start.includes("%PDF-")))
    return { kind: "document", format: "pdf" }
  if (start.startsWith("{\\rtf")) return { kind: "document", format: "rtf" }
  if (bytes.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)) {
    const detail = bytes.includes(ENCRYPTED_PACKAGE)
      ? PASSWORD_PROTECTED
      : "an Office file of the kind before 2007"
    return { kind: "unsupported", detail }
  }
  if (!start.startsWith("PK\x03\x04")) return null
  const names = zipNames(body)
  const format = names === null ? (formatOfType(type) ?? formatOfAddress(url)) : formatOfNames(names, start)
  return format === null ? null : { kind: "document", format }
}

const MAIN_PARTS: readonly (readonly [name: RegExp, format: DocumentFormat])[] = [
  [/^word\/document\d*\.xml$/i, "docx"],
  [/^ppt\/presentation\d*\.xml$/i, "pptx"],
  [/^xl\/workbook\d*\.xml$/i, "xlsx"],
]

function formatOfNames(names: readonly string[], start: string): DocumentFormat | null {
  // OpenDocument and EPUB put their media type first and uncompressed, to be found right behind the name.
  const declared = /^PK[^]{28}mimetype([a-z0-9.+/-]{1,100})/.exec(start)?.[1] ?? ""
  const format = declared === "" ? null : longestType(declared)
  if (format !== null) return format
  if (names.includes("META-INF/container.xml")) return "epub"
  for (const [main, found] of MAIN_PARTS) if (names.some((name) => main.test(name))) return found
  return null
}

/** The media type that `text` starts with: what follows it in the archive may look like more of it. */
function longestType(text: string): DocumentFormat | null {
  for (let end = text.length; end > 0; end -= 1) {
    const format = formatOfType(text.slice(0, end))
    if (format !== null) return format
  }
  return null
}
