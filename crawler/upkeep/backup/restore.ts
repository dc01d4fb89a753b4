import { createWriteStream } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { pipeline } from "node:stream/promises"
import { makeFolder } from "#base/folder.ts"
import type { Engine } from "#engine"
import { type ImportResult, importPages } from "#engine/lifecycle/move/import-pages.ts"
import { differenceLines, isSound } from "#engine/commands/difference-lines.ts"
import { ExportReader } from "#engine/lifecycle/move/format/read-export.ts"
import { CommandError } from "#base/run-command.ts"
import { stateDamage } from "#base/store/sqlite/rebuild-state.ts"
import { openStateFile, refuseOtherFile } from "#base/store/state-store.ts"
import { BackupFileError, imageOf, STATE, SUMS } from "./backup-format.ts"
import { isWhole, moveIntoPlace, stagingOf, syncFile } from "./data-folder.ts"
import { type OpenParts, openCrawlerParts, removeForeignCode } from "./foreign-code.ts"
import { type Mended, StateMender } from "./mend-state.ts"
import { BackupReader } from "./read-backup.ts"

export interface RestoreOptions {
  readonly dataDir: string
  /** Opens the engine that the settings describe, for writing, with `dataDir` as its data folder. */
  readonly openEngine: (dataDir: string) => Promise<Engine>
  /** Whether to replace existing files. */
  readonly force: boolean
  /** Opens the parts whose triggers the state can contain. Default: the crawler's. */
  readonly openParts?: OpenParts
  readonly signal?: AbortSignal
  readonly onProgress?: (what: "index" | "compare" | "images", count: number) => void
}

export interface Restored {
  readonly index: ImportResult
  readonly mended: Mended
  readonly images: number
  /** The names of foreign triggers and similar code that were removed from the state. */
  readonly foreign: readonly string[]
  /** The folder with the data folder's earlier contents; `null` if it was empty. */
  readonly aside: string | null
}

/**
 * Restores a backup into a data folder. Everything is assembled in a folder inside it, and moved into place only once
 * it is complete and checked; until then the earlier files stay untouched, and no appliance starts.
 *
 * @throws BackupFileError, ExportFileError, CommandError
 */
export async function restore(file: string, options: RestoreOptions): Promise<Restored> {
  const { dataDir, signal } = options
  const staging = stagingOf(dataDir)
  await rm(staging, { recursive: true, force: true })
  makeFolder(staging, 0o700)
  try {
    const restored = await putTogether(file, staging, options)
    signal?.throwIfAborted()
    return { ...restored, aside: await moveIntoPlace(dataDir, new Date()) }
  } catch (error) {
    if (!isWhole(dataDir)) await rm(staging, { recursive: true, force: true })
    throw error
  }
}

async function putTogether(
  file: string,
  staging: string,
  options: RestoreOptions,
): Promise<Omit<Restored, "aside">> {
  const reader = await BackupReader.open(file)
  if (reader.entry !== STATE) throw new BackupFileError("DAMAGED", `${file} contains no ${STATE}.`)
  const state = path.join(staging, STATE)
  await pipeline(reader.bytes(), createWriteStream(state, { mode: 0o600 }))
  const [damage] = stateDamage(staging)
  // The backup's checksums only show that the state has not changed since it was backed up.
  if (damage !== undefined)
    throw new BackupFileError(
      "DAMAGED",
      `The ${STATE} in ${file} is damaged (${damage}). Use an older backup.`,
    )
  const foreign = await removeForeignCode(state, options.openParts ?? openCrawlerParts)
  await refuseOtherFile(state, file)
  const db = await openStateFile(staging)
  let restored: Omit<Restored, "aside">
  try {
    const mender = await StateMender.open(db, staging)
    const index = await restoreIndex(file, reader, mender, options)
    const images = await restoreThumbnails(reader, staging, mender, options)
    await reader.finish()
    restored = { index, images, foreign, mended: await mender.mend() }
  } finally {
    // Closing the last connection merges the log into the file.
    db.close()
  }
  await syncFile(state)
  return restored
}

async function restoreIndex(
  file: string,
  reader: BackupReader,
  mender: StateMender,
  { dataDir, openEngine, force, signal, onProgress }: RestoreOptions,
): Promise<ImportResult> {
  await using engine = await openEngine(stagingOf(dataDir))
  const { pages } = await engine.stats()
  if (pages > 0 && !force) {
    throw new CommandError(
      `The configured index already has ${pages} pages. To replace them with those in the backup, use --force.`,
    )
  }
  const exported = await ExportReader.open(reader.indexBytes(), `The index in ${file}`)
  const result = await importPages(engine, exported, {
    replace: true,
    ...(signal && { signal }),
    onPage: async ({ page }) => {
      await mender.holds(page)
    },
    onProgress: (count) => onProgress?.("index", count),
    onCompare: (count) => onProgress?.("compare", count),
  })
  if (isSound(result.differences)) return result
  const lines = await differenceLines(result.differences, null)
  throw new CommandError(`The restored index differs from the backup:\n${lines.join("\n")}`)
}

/** @returns the number of thumbnails */
async function restoreThumbnails(
  reader: BackupReader,
  staging: string,
  mender: StateMender,
  { signal, onProgress }: RestoreOptions,
): Promise<number> {
  let count = 0
  while (reader.entry !== null && reader.entry !== SUMS) {
    signal?.throwIfAborted()
    const id = imageOf(reader.entry)
    if (id === null || !(await mender.wantsThumbnail(id))) {
      await reader.skip()
      continue
    }
    const thumbnail = path.join(staging, reader.entry)
    makeFolder(path.dirname(thumbnail))
    await writeFile(thumbnail, reader.bytes())
    count++
    onProgress?.("images", count)
  }
  return count
}
