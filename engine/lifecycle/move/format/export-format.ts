import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"

/**
 * An index as a file, in format 1. All numbers are unsigned and little endian.
 *
 * ```
 * file   := mark, frame HEAD, any number of frames PAGE, frame TAIL
 * mark   := the 16 bytes "fossick-index 1\n"
 * frame  := kind (4 ASCII letters), number (u32, from 0), pages in it (u32),
 *           length of its body (u32), length of its content (u32),
 *           hash (32 bytes), CRC-32 of all this (u32), body
 * body   := content, compressed with Zstandard (RFC 8878)
 * hash   := SHA-256 of the hash of the frame before (of the mark for the first one), the first 20 bytes of this
 *           frame, its body
 * HEAD   := JSON of {@link ExportHeader}
 * PAGE   := one record for each page, in the order of `pageId`
 * TAIL   := JSON of {@link ExportTotals}
 * record := length of the JSON (u32), JSON of the page (UTF-8), number of its passages (u32),
 *           number of its vectors (u32: as many, or 0 for a page without), the vectors (float32, one behind the other)
 * ```
 *
 * Since each hash takes in the one before, a frame that is lost, doubled, moved or of another file is seen at once, and
 * the hash of the last frame is the hash of all.
 */
export const FORMAT = 1
export const MARK = Buffer.from(`fossick-index ${FORMAT}\n`)
/** The mark of every format begins with this. */
export const ANY_MARK = "fossick-index "

export const HEAD_BYTES = 56
const HASHED_BYTES = 20
const HASH_BYTES = 32

/** A frame is closed once its content has this many bytes. */
export const FRAME_BYTES = 4 * 2 ** 20
export const FRAME_PAGES = 512
/** Maximum length of a frame, so that a reader knows what to expect. A single page can fill a frame. */
export const MAX_FRAME_BYTES = 2 ** 30

export type FrameKind = "HEAD" | "PAGE" | "TAIL"

/** The header of an export. */
export interface ExportHeader {
  /** The Fossick version that wrote it. */
  readonly fossick: string
  /** The model that made the vectors, and the number of dimensions. */
  readonly embedder: string
  readonly dimensions: number
  /** When the export was started, in ISO 8601. */
  readonly createdAt: string
}

/** The trailer of an export. */
export interface ExportTotals {
  readonly pages: number
  readonly passages: number
  readonly pagesWithVectors: number
  /** SHA-256 (hex) of the SHA-256s of the pages' JSON, in page order. */
  readonly content: string
}

export interface FrameHead {
  readonly kind: FrameKind
  readonly number: number
  readonly pages: number
  /** Number of bytes after the head. */
  readonly bodyBytes: number
  /** Size of the decompressed content in bytes. */
  readonly contentBytes: number
}

/** Head and body of a frame, and its hash, which is included in the next frame's hash. */
export function packFrame(
  head: Omit<FrameHead, "bodyBytes">,
  body: Buffer,
  hashBefore: Buffer,
): { bytes: Buffer; hash: Buffer } {
  const bytes = Buffer.alloc(HEAD_BYTES + body.length)
  bytes.write(head.kind, 0, "latin1")
  bytes.writeUInt32LE(head.number, 4)
  bytes.writeUInt32LE(head.pages, 8)
  bytes.writeUInt32LE(body.length, 12)
  bytes.writeUInt32LE(head.contentBytes, 16)
  const hash = hashOf(hashBefore, bytes.subarray(0, HASHED_BYTES), body)
  hash.copy(bytes, HASHED_BYTES)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HASHED_BYTES + HASH_BYTES)), HASHED_BYTES + HASH_BYTES)
  body.copy(bytes, HEAD_BYTES)
  return { bytes, hash }
}

/** The head of a frame; `null` if the bytes aren't one. */
export function readHead(bytes: Buffer): FrameHead | null {
  if (bytes.readUInt32LE(HASHED_BYTES + HASH_BYTES) !== crc32(bytes.subarray(0, HASHED_BYTES + HASH_BYTES))) {
    return null
  }
  const kind = bytes.toString("latin1", 0, 4)
  const head = {
    number: bytes.readUInt32LE(4),
    pages: bytes.readUInt32LE(8),
    bodyBytes: bytes.readUInt32LE(12),
    contentBytes: bytes.readUInt32LE(16),
  }
  const isKind = kind === "HEAD" || kind === "PAGE" || kind === "TAIL"
  const fits = Math.max(head.contentBytes, head.bodyBytes) <= MAX_FRAME_BYTES
  return isKind && fits ? { kind, ...head } : null
}

/** The hash of a frame if it matches the one in its head, otherwise `null`. */
export function checkedHash(head: Buffer, body: Buffer, hashBefore: Buffer): Buffer | null {
  const hash = hashOf(hashBefore, head.subarray(0, HASHED_BYTES), body)
  return hash.equals(head.subarray(HASHED_BYTES, HASHED_BYTES + HASH_BYTES)) ? hash : null
}

function hashOf(hashBefore: Buffer, head: Buffer, body: Buffer): Buffer {
  return createHash("sha256").update(hashBefore).update(head).update(body).digest()
}
