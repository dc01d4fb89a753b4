import path from "node:path"
import { EngineError } from "../../../errors.ts"
import { type Twins, readTwins, writeTwins } from "#base/store/sealed-json.ts"
import { damagedFile } from "./damaged-file.ts"

/**
 * Raised whenever an older Fossick couldn't read indexes written by this one, or this one couldn't read indexes written
 * by an older one. 2: page fields (topic, country, unsafe), and the facts used for ranking. 3: one row per section of a
 * page in the table used to find pages, the page's names alongside the terms of its passages, and its type and port to
 * filter by. 4: terms in one spelling per script, and stemmed in six more languages. 5: Polish terms stemmed.
 */
export const INDEX_FORMAT = 5
/** Formats whose pages `old-index.ts` can read, so that they can be copied into an index of the current format. */
export const OLD_FORMATS: readonly number[] = [2, 3, 4]

/** Describes an index; stored in `index.json` next to the tables. It is the last thing written when an index is created. */
export interface Manifest {
  readonly format: number
  /** Id of the embedder that made the vectors. */
  readonly embedder: string
  readonly dimensions: number
  /** Name of the vectors table; a re-embedding creates a new table. */
  readonly vectors: string
  /** Languages of the pages (ISO 639-1), in the order they were first seen: queries are analysed in each. */
  readonly languages: readonly string[]
  /**
   * Values of the column `source` that stand for several sources, in the order in which they were first seen: a filter
   * by one of those sources includes these values. Omitted while no page has several sources.
   */
  readonly sharings?: readonly string[]
  /** Whether the tables have the readers column; omitted by earlier versions, which had none. */
  readonly hasReaders?: true
  /** Whether any page has ever had readers. Until then a filter by readers costs nothing. */
  readonly holdsReaders?: true
}

export const MANIFEST = "index.json"

/**
 * The manifest, or `null` if there is no index yet.
 *
 * @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, or `INDEX_DAMAGED` when it cannot be read.
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
      `The index in ${dir} has format ${manifest.format}; this Fossick needs ${INDEX_FORMAT}. Start the appliance or run \`fossick index upgrade\` to rebuild it from its own pages.`,
    )
  }
  return manifest
}

/** The manifest in any format. @throws EngineError `INDEX_DAMAGED` */
export async function readAnyManifest(dir: string): Promise<Manifest | null> {
  const { value, damaged } = await manifestTwins(dir)
  if (value || damaged.length === 0) return value
  throw damagedFile(dir, MANIFEST, "and its copy cannot be read")
}

export const manifestTwins = (dir: string): Promise<Twins<Manifest>> =>
  readTwins<Manifest>(
    path.join(dir, MANIFEST),
    ({ format, vectors }) => Number.isInteger(format) && Boolean(vectors),
  )

/** Replaces the manifest and its copy; a reader sees either the old one or the new one, never a partial one. */
export const writeManifest = (dir: string, manifest: Manifest): Promise<void> =>
  writeTwins(path.join(dir, MANIFEST), manifest)
