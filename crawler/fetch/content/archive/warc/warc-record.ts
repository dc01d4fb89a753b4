import { ArchiveError } from "../archive.ts"

/** The header of a record (WARC 1.1, §4), with names in lower case. */
export interface WarcHeader {
  readonly fields: ReadonlyMap<string, string>
  /** Length of the header in bytes, including its empty line. */
  readonly bytes: number
  /** Length of the following block in bytes. */
  readonly length: number
}

/** Maximum length of a header; real programs write shorter ones. */
export const MAX_HEADER_BYTES = 64 * 1024
const END = Buffer.from("\r\n\r\n")

/**
 * The header that begins at the start of `bytes`.
 * @returns null when the header continues after these bytes
 * @throws ArchiveError when they aren't a WARC record
 */
export function parseHeader(bytes: Buffer): WarcHeader | null {
  if (!/^WARC\/\d+\.\d+\r?\n/.test(bytes.toString("latin1", 0, 20)) && bytes.length >= 10)
    throw new ArchiveError("a record doesn't start with WARC/ and a version")
  const { end, size } = endOf(bytes)
  if (end < 0) {
    if (bytes.length >= MAX_HEADER_BYTES) throw new ArchiveError("the header of a record has no end")
    return null
  }
  const [, ...lines] = unfolded(bytes.toString("utf8", 0, end)).split(/\r?\n/)
  const fields = fieldsOf(lines)
  const length = Number(fields.get("content-length") ?? "none")
  if (!Number.isSafeInteger(length) || length < 0) throw new ArchiveError("a record doesn't state its length")
  return { fields, bytes: size, length }
}

/** Where the fields of a header end, and its length in bytes including the empty line. A few programs end lines with just LF. */
function endOf(bytes: Buffer): { readonly end: number; readonly size: number } {
  const end = bytes.indexOf(END)
  const lax = bytes.indexOf("\n\n")
  if (end < 0 || (lax >= 0 && lax < end)) return { end: lax, size: lax + 2 }
  return { end, size: end + END.length }
}

const unfolded = (text: string): string => text.replaceAll(/\r?\n[ \t]+/g, " ")

/** If a field occurs twice, the first one is used. */
function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).trim().toLowerCase()
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/** The start of an HTTP response (RFC 9112 §4). */
export interface HttpHead {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly bytes: number
}

/** @returns null when there is no complete header */
export function parseHttpHead(bytes: Buffer): HttpHead | null {
  const { end, size } = endOf(bytes)
  const [first = "", ...lines] = unfolded(bytes.toString("latin1", 0, end < 0 ? 0 : end)).split(/\r?\n/)
  const status = /^HTTP\/[\d.]+ +(\d{3})(?:\s|$)/i.exec(first)?.[1]
  if (status === undefined) return null
  return { status: Number(status), headers: fieldsOf(lines), bytes: size }
}
