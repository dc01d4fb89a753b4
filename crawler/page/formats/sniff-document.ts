import { PASSWORD_PROTECTED } from "./document-error.ts"
import {
  type DocumentFormat,
  formatOfAddress,
  formatOfArchive,
  formatOfStart,
  formatOfType,
} from "./document-format.ts"
import { isCompoundFile, rootNames } from "./archive/compound-file.ts"
import { zipNames } from "./archive/zip.ts"
import { type LegacyFormat, legacyOfAddress, legacyOfNames, legacyOfType } from "./legacy-office.ts"

export type SniffedDocument =
  | { readonly kind: "document"; readonly format: DocumentFormat }
  | { readonly kind: "legacy"; readonly format: LegacyFormat }
  | { readonly kind: "unsupported"; readonly detail: string }

/** How many bytes readers search for the header of a PDF: of all formats, its header can be furthest from the start (ISO 32000-1, appendix H). */
const START_BYTES = 1024
/** A name at the root of a compound file: it means that the file is an encrypted Office file in a current format. */
const ENCRYPTED_PACKAGE = "EncryptedPackage"

/**
 * The kind of document in a body, determined by its first bytes, or by its contents if it is an archive. The media type
 * and the address decide only for a broken archive. Null if it is not a known kind.
 */
export function sniffDocument(type: string, body: Uint8Array, url: string): SniffedDocument | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.toString("latin1", 0, START_BYTES)
  const started = formatOfStart(start, type)
  if (started !== null) return { kind: "document", format: started }
  if (isCompoundFile(bytes)) return sniffCompoundFile(type, bytes, url)
  if (!start.startsWith("PK\x03\x04")) return null
  const names = zipNames(body)
  const format = names === null ? (formatOfType(type) ?? formatOfAddress(url)) : formatOfNames(names, start)
  return format === null ? null : { kind: "document", format }
}

function sniffCompoundFile(type: string, bytes: Buffer, url: string): SniffedDocument {
  const names = rootNames(bytes)
  if (names?.includes(ENCRYPTED_PACKAGE)) return { kind: "unsupported", detail: PASSWORD_PROTECTED }
  const format = names === null ? (legacyOfType(type) ?? legacyOfAddress(url)) : legacyOfNames(names)
  if (format !== null) return { kind: "legacy", format }
  return { kind: "unsupported", detail: "a compound file that isn't a Word, Excel or PowerPoint document" }
}

function formatOfNames(names: readonly string[], start: string): DocumentFormat | null {
  // OpenDocument and EPUB put their media type first and uncompressed, right after the name.
  const declared = /^PK[^]{28}mimetype([a-z0-9.+/-]{1,100})/.exec(start)?.[1] ?? ""
  return (declared === "" ? null : longestType(declared)) ?? formatOfArchive(names)
}

/** The media type that `text` starts with. In the archive, the data right after the media type can look like part of it. */
function longestType(text: string): DocumentFormat | null {
  for (let end = text.length; end > 0; end -= 1) {
    const format = formatOfType(text.slice(0, end))
    if (format !== null) return format
  }
  return null
}
