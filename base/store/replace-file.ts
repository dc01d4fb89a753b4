import { rename, writeFile } from "node:fs/promises"

/** Replaces a file that has only one writer: readers see the old one or the new one, never a part. A power failure may destroy both. */
export async function replaceFile(file: string, content: string | readonly Uint8Array[]): Promise<void> {
  const arriving = `${file}.new`
  await writeFile(arriving, content)
  await rename(arriving, file)
}
