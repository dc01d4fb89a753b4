import { PASSWORD_PROTECTED } from "./document-error.ts"
import {
  type DocumentFormat,
  formatOfAddress,
  formatOfArchive,
  formatOfStart,
  formatOfType,
} from "./document-format.ts"
import { zipNames } from "./archive/zip.ts"

export type SniffedDocument =
  | { readonly kind: "document"; readonly format: DocumentFormat }
  | { readonly kind: "unsupported"; readonly detail: string }

/** As far as readers look for the header of a PDF, which has it latest (ISO 32000-1, appendix H). */
const START_BYTES = 1024
/** Compound File Binary: Office files before 2007, and the locked ones of today. */
const COMPOUND_FILE = Buffer.from("d0cf11e0a1b11ae1", "hex")
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le")

/**
 * What document a body is by its bytes: by how it starts, or an archive by what it holds. Only a broken archive is
 * taken for what its media type or address say. Null: none of these.
 */
export function sniffDocument(type: string, body: Uint8Array, url: string): SniffedDocument | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.toString("latin1", 0, START_BYTES)
  const started = formatOfStart(start, type)
  if (started !== null) return { kind: "document", format: started }
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

function formatOfNames(names: readonly string[], start: string): DocumentFormat | null {
  // OpenDocument and EPUB put their media type first and uncompressed, to be found right behind the name.
  const declared = /^PK[^]{28}mimetype([a-z0-9.+/-]{1,100})/.exec(start)?.[1] ?? ""
  return (declared === "" ? null : longestType(declared)) ?? formatOfArchive(names)
}

/** The media type that `text` starts with: what follows it in the archive may look like more of it. */
function longestType(text: string): DocumentFormat | null {
  for (let end = text.length; end > 0; end -= 1) {
    const format = formatOfType(text.slice(0, end))
    if (format !== null) return format
  }
  return null
}
