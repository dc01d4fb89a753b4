import { readFile, rename, stat, writeFile } from "node:fs/promises"

/** A file that one process writes whole and others read. */
export interface KeptFile {
  readonly bytes: Buffer
  /** Another one for each time it was written. */
  readonly version: number
}

/** Null when it is not there, cannot be read, or has another length: as when it is damaged. */
export async function readKept(file: string, length: number): Promise<KeptFile | null> {
  try {
    const version = (await stat(file)).mtimeMs
    const bytes = await readFile(file)
    return bytes.length === length ? { bytes, version } : null
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
  await writeFile(`${file}.new`, bytes)
  await rename(`${file}.new`, file)
}
