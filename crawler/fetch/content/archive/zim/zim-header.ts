import { ArchiveError } from "../archive.ts"
import { type Bytes, chunksFrom } from "../bytes.ts"

/** The header of a ZIM file. Positions are bytes from the start of the file. */
export interface ZimHeader {
  readonly entryCount: number
  readonly clusterCount: number
  /** Where the list of entry positions begins; the list is sorted by namespace and path. */
  readonly pathPointers: number
  /** The namespace that contains the pages. */
  readonly namespace: string
  /** Media types, indexed by the numbers that entries use. */
  readonly types: readonly string[]
  /** Where each cluster begins. */
  readonly clusters: readonly number[]
  /** Where each part of the file begins, in order. A cluster ends before the next part begins. */
  readonly borders: readonly number[]
}

const MAGIC = 72_173_914
const HEADER_BYTES = 80
const POINTER_BYTES = 8
const CHECKSUM_BYTES = 16
const MAX_TYPES_BYTES = 64 * 1024
/** Maximum number of clusters: enough for eight terabytes at the usual two megabytes each; their positions take up 60 MB of memory. */
const MAX_CLUSTERS = 4_000_000

/** @throws ArchiveError when it isn't a ZIM file, or is cut off */
export async function readZimHeader(bytes: Bytes): Promise<ZimHeader> {
  if (bytes.size < HEADER_BYTES) throw new ArchiveError("it isn't a ZIM file")
  const head = await bytes.read(0, HEADER_BYTES)
  const major = head.readUInt16LE(4)
  if (head.readUInt32LE(0) !== MAGIC) throw new ArchiveError("it isn't a ZIM file")
  if (major !== 5 && major !== 6) throw new ArchiveError(`it is a ZIM file of version ${major}, not 5 or 6`)
  const entryCount = head.readUInt32LE(24)
  const clusterCount = head.readUInt32LE(28)
  const [pathPointers, titlePointers, clusterPointers, typesAt, checksumAt] = [32, 40, 48, 56, 72].map((at) =>
    positionAt(head, at),
  ) as [number, number, number, number, number]
  const ends = [
    checksumAt + CHECKSUM_BYTES,
    pathPointers + entryCount * POINTER_BYTES,
    clusterPointers + clusterCount * POINTER_BYTES,
    typesAt,
  ]
  if (ends.some((end) => end > bytes.size)) throw new ArchiveError("it is cut off")
  if (clusterCount > MAX_CLUSTERS) throw new ArchiveError(`it contains more than ${MAX_CLUSTERS} clusters`)
  const clusters = await pointersAt(bytes, clusterPointers, clusterCount)
  const borders = [...clusters, pathPointers, titlePointers, clusterPointers, checksumAt, bytes.size]
  return {
    entryCount,
    clusterCount,
    pathPointers,
    // Since version 6.1, a single namespace contains everything that users see.
    namespace: major === 6 && head.readUInt16LE(6) >= 1 ? "C" : "A",
    types: await typesIn(bytes, typesAt),
    clusters,
    borders: borders.filter((at) => at <= bytes.size).sort((a, b) => a - b),
  }
}

/** Reads a position. Values too large to be represented exactly are larger than any file. */
export const positionAt = (bytes: Buffer, at: number): number => {
  const position = Number(bytes.readBigUInt64LE(at))
  return Number.isSafeInteger(position) ? position : Number.MAX_SAFE_INTEGER
}

async function pointersAt(bytes: Bytes, start: number, count: number): Promise<number[]> {
  const pointers: number[] = []
  for await (const chunk of chunksFrom(bytes, start, start + count * POINTER_BYTES))
    for (let at = 0; at < chunk.length; at += POINTER_BYTES) pointers.push(positionAt(chunk, at))
  return pointers
}

/** Each type ends with a zero byte, and the list ends with an empty type. */
async function typesIn(bytes: Bytes, start: number): Promise<string[]> {
  const list = await bytes.read(start, Math.min(MAX_TYPES_BYTES, bytes.size - start))
  const end = list.indexOf("\0\0")
  if (end < 0) throw new ArchiveError("its list of media types has no end")
  return list.toString("utf8", 0, end).split("\0")
}
