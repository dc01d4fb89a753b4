import type { ArchiveEntry } from "./archive.ts"

/** Number of entries per chunk. */
export const CHUNK = 500

/** The entries of a map, one chunk at a time. */
export async function* inChunks<T>(
  entries: ReadonlyMap<string, T>,
  entryOf: (key: string, value: T) => ArchiveEntry,
): AsyncGenerator<readonly ArchiveEntry[]> {
  let chunk: ArchiveEntry[] = []
  for (const [key, value] of entries) {
    chunk.push(entryOf(key, value))
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = []
  }
  yield chunk
}
