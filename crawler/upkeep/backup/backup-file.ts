import { open, rename, rm } from "node:fs/promises"
import path from "node:path"
import { syncFolder } from "#engine/lifecycle/move/export-to-file.ts"

/** The name under which a backup is written until it is complete. */
export const partOf = (file: string): string => `${file}.part`

/**
 * Writes a backup to a file that gets its name only once it is complete and on the disk. A file left behind by an error
 * or a killed process never has that name.
 * @param check examines the whole file first; if it throws, no file is left behind
 * @returns the size of the file in bytes
 */
export async function writeBackupFile(
  backup: AsyncIterable<Buffer>,
  file: string,
  check: (part: string) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const part = partOf(file)
  await rm(part, { force: true })
  let bytes = 0
  try {
    const handle = await open(part, "wx", 0o600)
    try {
      for await (const chunk of backup) {
        await handle.writeFile(chunk)
        bytes += chunk.length
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await check(part)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(path.dirname(file))
  return bytes
}
