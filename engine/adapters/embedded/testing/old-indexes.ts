import { createReadStream } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { buffer } from "node:stream/consumers"
import { createGunzip } from "node:zlib"
import { extract } from "tar-stream"

/** Puts an index of format 2, written by an older version, into a folder. */
export async function unpackOldIndex(dir: string): Promise<void> {
  const files = extract()
  const packed = createReadStream(path.join(import.meta.dirname, "format-2.tar.gz"))
  const unpacked = pipeline(packed, createGunzip(), files)
  for await (const entry of files) {
    const { name: file, type } = entry.header
    const bytes = await buffer(Readable.from(entry))
    if (type !== "file") continue
    const target = path.join(dir, file)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, bytes)
  }
  await unpacked
}
