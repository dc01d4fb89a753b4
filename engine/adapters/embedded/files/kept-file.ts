import { type FileHandle, open } from "node:fs/promises"
import { crc32 } from "node:zlib"
import { replaceFile } from "#base/store/replace-file.ts"

/** A file that one process writes whole and others read. */
export interface KeptFile {
  readonly bytes: Buffer
  /** Another one for each content that was written. */
  readonly version: string
}

/** Bytes of the checksum (CRC-32) behind the content. Files of older versions have none. */
const SUM_BYTES = 4

/** Null when it is not there, or damaged: of another length, or with another checksum. */
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

/** The version of a file that is not there. */
export const NEVER_KEPT = ""

/** What {@link readKept} would give as version, without reading the content. */
export async function keptVersion(file: string): Promise<string> {
  try {
    await using handle = await open(file)
    return await versionOf(handle)
  } catch {
    return NEVER_KEPT
  }
}

/**
 * Made of time and checksum. Time alone does not do: the kernel's clock for files ticks every 4 ms, some file systems'
 * every second or two, and what is written twice within a tick has one time; nor would the inode, which is used again.
 */
async function versionOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true })
  const sum = Buffer.alloc(SUM_BYTES)
  await handle.read(sum, 0, SUM_BYTES, Math.max(0, Number(size) - SUM_BYTES))
  return `${mtimeNs}-${sum.toString("hex")}`
}

/** Replaces a file, with a checksum behind it. */
export async function keep(file: string, bytes: Uint8Array): Promise<void> {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeUInt32LE(crc32(bytes))
  await replaceFile(file, [bytes, sum])
}
