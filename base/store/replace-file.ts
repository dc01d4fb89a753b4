import { rename, writeFile } from "node:fs/promises"

/** Replaces a file that has only one writer. Readers see either the old file or the new one, never a partial file. A power failure might destroy both. */
export async function replaceFile(file: string, content: string | readonly Uint8Array[]): Promise<void> {
  const arriving = `${file}.new`
  await writeFile(arriving, content)
  await rename(arriving, file)
}
