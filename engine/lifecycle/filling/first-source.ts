import { readFile, rm } from "node:fs/promises"
import path from "node:path"
import { replaceFile } from "#base/store/replace-file.ts"
import { steadyNow } from "#base/steady-time.ts"

// Which source an operator wants to be embedded before the others: stored in a file in the data folder, for the writer
// in another process. It applies to the index in use and to one being built beside it.

const FILE = "vectors-first.json"
const LOOK_EVERY_MS = 1000

export const firstSourceFile = (dataDir: string): string => path.join(dataDir, FILE)

/** Gives a source priority; with `null`, none has priority. */
export async function putSourceFirst(file: string, source: string | null): Promise<void> {
  if (source === null) await rm(file, { force: true })
  else await replaceFile(file, JSON.stringify({ source }))
}

/** The source that has priority; `null` if none does or the file can't be read. */
export async function readFirstSource(file: string): Promise<string | null> {
  try {
    const { source } = JSON.parse(await readFile(file, "utf8")) as { source?: unknown }
    return typeof source === "string" ? source : null
  } catch {
    return null
  }
}

/** Follows the operator's choice of source, which is made in another process. */
export class FirstSourceReader {
  readonly #file: string | undefined
  #lookedAt = -Infinity
  #latest: string | null = null

  /** @param dataDir if omitted, no source has priority */
  constructor(dataDir: string | undefined) {
    this.#file = dataDir && firstSourceFile(dataDir)
  }

  /** The chosen source as of a moment ago. */
  async latest(): Promise<string | null> {
    if (this.#file === undefined || steadyNow() - this.#lookedAt < LOOK_EVERY_MS) return this.#latest
    this.#lookedAt = steadyNow()
    this.#latest = await readFirstSource(this.#file)
    return this.#latest
  }
}
