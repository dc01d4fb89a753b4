import { constants, createInflateRaw, inflateRawSync } from "node:zlib"
import { ArchiveError } from "../archive.ts"
import type { Bytes } from "../bytes.ts"

/** One part of a gzip file (RFC 1952 §2.2). */
export interface GzipMember {
  /** The first unpacked bytes. */
  readonly start: Buffer
  /** The number of unpacked bytes. */
  readonly size: number
  /** Where the next member begins. */
  readonly end: number
}

const CHUNK = 64 * 1024
/** Limit for unpacking synchronously; more would block the event loop. */
const MAX_SMALL_BYTES = 1024 * 1024
const TRAILER_BYTES = 8
const HAS_CHECKSUM = 2
const HAS_EXTRA = 4
const HAS_NAME = 8
const HAS_COMMENT = 16

/**
 * Unpacks the member that begins at `offset`, and keeps only the first `kept` bytes.
 * @returns null if the file ends inside it
 * @throws ArchiveError if there is no member, or it is damaged
 */
export async function readMember(bytes: Bytes, offset: number, kept: number): Promise<GzipMember | null> {
  const first = await bytes.read(offset, Math.min(CHUNK, bytes.size - offset))
  const header = headerBytes(first)
  if (header === null) return null
  return small(first, offset, header, kept) ?? (await inflated(bytes, offset, header, kept))
}

/** Reads a member that ends within the first bytes, as most do. A stream per member takes ten times as long. */
function small(first: Buffer, offset: number, header: number, kept: number): GzipMember | null {
  const packed = first.subarray(header)
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_SMALL_BYTES, info: true }
    const { buffer, engine } = inflateRawSync(packed, options) as unknown as Inflated
    // The member may continue after these bytes.
    if (engine.bytesWritten + TRAILER_BYTES > packed.length) return null
    const end = offset + header + engine.bytesWritten + TRAILER_BYTES
    return { start: buffer.subarray(0, kept), size: buffer.length, end }
  } catch {
    // If anything is wrong, it is reported when the member is read as a stream.
    return null
  }
}

/** What zlib's functions return with the option `info`. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

async function inflated(
  bytes: Bytes,
  offset: number,
  header: number,
  kept: number,
): Promise<GzipMember | null> {
  const inflate = createInflateRaw({ chunkSize: CHUNK })
  const parts: Buffer[] = []
  let size = 0
  const ended = new Promise<boolean>((resolve, reject) => {
    inflate.on("data", (part: Buffer) => {
      if (size < kept) parts.push(part)
      size += part.length
    })
    inflate.on("end", () => {
      resolve(true)
    })
    inflate.on("error", (error) => {
      reject(new ArchiveError(`its compressed data is damaged at byte ${offset} (${error.message})`))
    })
  })
  ended.catch(() => {})
  try {
    let isEnded = false
    for (let at = offset + header; at < bytes.size && !isEnded;) {
      const chunk = await bytes.read(at, Math.min(CHUNK, bytes.size - at))
      at += chunk.length
      const written = new Promise<boolean>((resolve) => {
        inflate.write(chunk, () => {
          resolve(false)
        })
      })
      // The member ends before the chunk does, since a trailer follows the compressed data.
      isEnded = await Promise.race([ended, written])
      isEnded ||= inflate.bytesWritten < at - offset - header
    }
    const end = offset + header + inflate.bytesWritten + TRAILER_BYTES
    if (!isEnded || end > bytes.size) return null
    await ended
    return { start: Buffer.concat(parts).subarray(0, kept), size, end }
  } finally {
    inflate.destroy()
  }
}

/** The length of the gzip header; `null` if the header is incomplete. */
function headerBytes(bytes: Buffer): number | null {
  if (bytes.length < 10) return null
  if (bytes.readUInt16BE(0) !== 0x1f8b) throw new ArchiveError("the data after a record isn't compressed")
  const flags = bytes[3]!
  let at = 10
  if ((flags & HAS_EXTRA) !== 0) at += 2 + (bytes.length < 12 ? 0 : bytes.readUInt16LE(10))
  for (const flag of [HAS_NAME, HAS_COMMENT])
    if ((flags & flag) !== 0) at = bytes.indexOf(0, at) + 1 || Infinity
  if ((flags & HAS_CHECKSUM) !== 0) at += 2
  return at < bytes.length ? at : null
}
