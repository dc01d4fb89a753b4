import { breather } from "#base/flow/breather.ts"
import { ArchiveError } from "../archive.ts"
import { type Bytes, Window } from "../bytes.ts"
import { readMember } from "./gzip-member.ts"
import { MAX_HEADER_BYTES, parseHeader, type WarcHeader } from "./warc-record.ts"

/** A record found by a scan. */
export interface ScannedRecord {
  /** Where the record begins, and its size in the file in bytes. */
  readonly offset: number
  readonly packed: number
  readonly header: WarcHeader
  /** The first bytes of its block. */
  readonly start: Buffer
}

/** Number of bytes kept from each record: its header, and the HTTP header in its block. */
const KEPT_BYTES = 2 * MAX_HEADER_BYTES
const WINDOW_BYTES = 256 * 1024
/** Number of bytes read per record of a plain file; more are read only for longer headers. */
const USUAL_BYTES = 8 * 1024
const LINE_END = new Set([10, 13])

/** A compressed file whose records can't be read one by one, because they aren't separate gzip members. */
export class NotByRecordError extends Error {}

/**
 * All records of a compressed file, each of which is a gzip member (WARC 1.1, annex D).
 * @param onCutOff called when the file ends within a record
 * @throws NotByRecordError, ArchiveError
 */
export async function* scanMembers(bytes: Bytes, onCutOff: () => void): AsyncGenerator<ScannedRecord> {
  const window = new Window(bytes, WINDOW_BYTES)
  const breathe = breather()
  for (let offset = 0; offset < bytes.size;) {
    const member = await readMember(window, offset, KEPT_BYTES)
    if (member === null) {
      // The file may also be one member with many records, some of which can be unpacked.
      if (offset === 0) throw new NotByRecordError()
      onCutOff()
      return
    }
    const { start, size, end } = member
    const header = size === 0 ? null : parseHeader(start)
    if (header !== null) {
      const rest = size - header.bytes - header.length
      if (rest < 0 || rest > 8) throw new NotByRecordError()
      const block = start.subarray(header.bytes, header.bytes + header.length)
      yield { offset, packed: end - offset, header, start: block }
    } else if (size > 0) throw new NotByRecordError()
    offset = end
    await breathe()
  }
}

/**
 * The records of a scan up to the first damage, as if the file ended there.
 * @throws ArchiveError when there is no record before it
 */
export async function* upToDamage(
  records: AsyncIterable<ScannedRecord>,
  onCutOff: () => void,
): AsyncGenerator<ScannedRecord> {
  let count = 0
  try {
    for await (const record of records) {
      count += 1
      yield record
    }
  } catch (error) {
    if (!(error instanceof ArchiveError) || count === 0) throw error
    onCutOff()
  }
}

/** All records of a plain file. @throws ArchiveError */
export async function* scanPlain(bytes: Bytes, onCutOff: () => void): AsyncGenerator<ScannedRecord> {
  const window = new Window(bytes, WINDOW_BYTES)
  const from = (offset: number, length: number) => window.read(offset, Math.min(length, bytes.size - offset))
  const breathe = breather()
  for (let offset = 0; ;) {
    await breathe()
    while (offset < bytes.size && LINE_END.has((await from(offset, 1))[0]!)) offset += 1
    if (offset >= bytes.size) return
    const header =
      parseHeader(await from(offset, USUAL_BYTES)) ?? parseHeader(await from(offset, MAX_HEADER_BYTES))
    const packed = header === null ? Infinity : header.bytes + header.length
    if (header === null || offset + packed > bytes.size) {
      onCutOff()
      return
    }
    const length = Math.min(header.length, MAX_HEADER_BYTES)
    const isAnswer = /^application\/http/i.test(header.fields.get("content-type") ?? "")
    const start = isAnswer ? await from(offset + header.bytes, length) : Buffer.alloc(0)
    yield { offset, packed, header, start }
    offset += packed
  }
}
