import { readFile, rename, stat, writeFile } from "node:fs/promises"
import { crc32 } from "node:zlib"

/** A file that one process writes whole and others read. */
export interface KeptFile {
  readonly bytes: Buffer
  /** Another one for each time it was written. */
  readonly version: number
}

/** Bytes of the checksum (CRC-32) behind the content. Files of older versions have none. */
const SUM_BYTES = 4

/** Null when it is not there, or damaged: of another length, or with another checksum. */
export async function readKept(file: string, length: number): Promise<KeptFile | null> {
  try {
    const version = (await stat(file)).mtimeMs
    const bytes = await readFile(file)
    const content = bytes.subarray(0, length)
    const isOld = bytes.length === length
    const isSound =
      isOld || (bytes.length === length + SUM_BYTES && bytes.readUInt32LE(length) === crc32(content))
    return isSound ? { bytes: content, version } : null
  } catch {
    return null
  }
}

/** 0 when there is none. */
export function keptVersion(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

/** Readers see the old file or the new one, never a part. */
export async function keep(file: string, bytes: Uint8Array): Promise<void> {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeUInt32LE(crc32(bytes))
  await writeFile(`${file}.new`, [bytes, sum])
  await rename(`${file}.new`, file)
}
