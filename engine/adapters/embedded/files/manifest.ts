import { open, readFile, rename } from "node:fs/promises"
import path from "node:path"
import { EngineError } from "../../../errors.ts"

/**
 * Raised whenever an older Fossick could not read what this one writes, or this one what an older one wrote.
 * 2: what a page is (topic, country, unsafe), and the facts that ranking asks for.
 */
export const INDEX_FORMAT = 2
/** Formats whose pages `old-index.ts` reads, so that they can be taken into an index of today's. */
export const OLD_FORMATS: readonly number[] = [1]

/** What an index is: kept in `index.json` beside the tables. Written last when an index is made. */
export interface Manifest {
  readonly format: number
  /** Id of the embedder that made the vectors. */
  readonly embedder: string
  readonly dimensions: number
  /** Name of the table of vectors; a re-embedding starts a new one. */
  readonly vectors: string
  /** Languages of the pages (ISO 639-1), in the order they were first seen: queries are analysed in each. */
  readonly languages: readonly string[]
  /**
   * Values of the column `source` that stand for several sources, in the order they were first seen: a filter by
   * one of these asks for them too. Left out while no page has several.
   */
  readonly sharings?: readonly string[]
}

const fileIn = (dir: string) => path.join(dir, "index.json")

/**
 * The manifest, or null when there is no index yet.
 *
 * @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, or `ENGINE_UNAVAILABLE` when it cannot be read.
 */
export async function readManifest(dir: string): Promise<Manifest | null> {
  const manifest = await readAnyManifest(dir)
  if (!manifest) return null
  if (manifest.format > INDEX_FORMAT) {
    throw new EngineError(
      "INDEX_FORMAT_TOO_NEW",
      `The index in ${dir} has format ${manifest.format}; this Fossick reads up to ${INDEX_FORMAT}. Start a newer Fossick, or move the folder away and crawl again.`,
    )
  }
  if (manifest.format < INDEX_FORMAT) {
    throw new EngineError(
      "INDEX_FORMAT_TOO_OLD",
      `The index in ${dir} has format ${manifest.format}; this Fossick needs ${INDEX_FORMAT}. Start the appliance or run \`fossick index upgrade\`, and it is made anew from its own pages.`,
    )
  }
  return manifest
}

/** The same, of whatever format. @throws EngineError `ENGINE_UNAVAILABLE` */
export async function readAnyManifest(dir: string): Promise<Manifest | null> {
  try {
    return JSON.parse(await readFile(fileIn(dir), "utf8")) as Manifest
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw new EngineError(
      "ENGINE_UNAVAILABLE",
      `Cannot read ${fileIn(dir)}. Restore the index from a backup, or move the folder away and crawl again.`,
      { cause: error },
    )
  }
}

/** Replaces the manifest; a reader sees the old one or the new one, never a part. */
export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  const temporary = `${fileIn(dir)}.new`
  const file = await open(temporary, "w")
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, fileIn(dir))
}
