import { type FileHandle, open } from "node:fs/promises"
import { crc32 } from "node:zlib"
import { replaceFile } from "#base/store/replace-file.ts"

/** A file that one process writes as a whole and others read. */
export interface KeptFile {
  readonly bytes: Buffer
  /** Changes whenever the content does. */
  readonly version: string
}

/** Bytes of the checksum (CRC-32) after the content. Files from older versions have none. */
const SUM_BYTES = 4

/** Returns `null` if the file is missing or damaged, that is, its length or checksum is wrong. */
export async function readKept(file: string, length: number): Promise<KeptFile | null> {
  try {
    await using handle = await open(file)
    const version = await versionOf(handle)
    const bytes = await handle.readFile()
    const content = bytes.subarray(0, length)
    const isOld = bytes.length === length
    const isSound =
      isOld || (bytes.length === length + SUM_BYTES && bytes.readUInt32LE(length) === crc32(content))
    return isSound ? { bytes: content, version } : null
  } catch {
    return null
  }
}

/** The version of a missing file. */
export const NEVER_KEPT = ""

/** The version that {@link readKept} would return, without reading the content. */
export async function keptVersion(file: string): Promise<string> {
  try {
    await using handle = await open(file)
    return await versionOf(handle)
  } catch {
    return NEVER_KEPT
  }
}

/**
 * The version of a file, from its modification time and checksum. Time alone isn't enough: the kernel's clock for files
 * ticks every 4 ms, that of some file systems every second or two, and two writes within a tick have the same time; nor
 * would the inode be enough, because it is reused.
 */
async function versionOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true })
  const sum = Buffer.alloc(SUM_BYTES)
  await handle.read(sum, 0, SUM_BYTES, Math.max(0, Number(size) - SUM_BYTES))
  return `${mtimeNs}-${sum.toString("hex")}`
}

/** Replaces a file, with a checksum at the end. */
export async function keep(file: string, bytes: Uint8Array): Promise<void> {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeUInt32LE(crc32(bytes))
  await replaceFile(file, [bytes, sum])
}
