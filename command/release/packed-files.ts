import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { createHash } from "node:crypto"

import { extract } from "tar-stream"

import type { ReleaseFile } from "./release-manifest.ts"

/** The files in an npm package (`.tgz`), by their paths in it (`package/…`), with their hashes. */
export async function packedFiles(file: string): Promise<readonly ReleaseFile[]> {
  const files: ReleaseFile[] = []
  const entries = extract()
  const reading = pipeline(createReadStream(file), createGunzip(), entries)
  for await (const entry of entries) {
    const hash = createHash("sha256")
    for await (const chunk of entry) hash.update(chunk as Uint8Array)
    if (entry.header.type === "file") files.push({ path: entry.header.name, sha256: hash.digest("hex") })
  }
  await reading
  return files
}
