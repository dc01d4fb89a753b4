import { createReadStream } from "node:fs"
import { chmod, mkdtemp, opendir, readdir, readFile, rm, stat } from "node:fs/promises"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Engine } from "#engine"
import { copyState } from "#base/store/postgres/state-copy.ts"
import { fossickVersion } from "#base/fossick-version.ts"
import { writeExport } from "#engine/lifecycle/move/format/write-export.ts"
import { CommandError } from "#base/run-command.ts"
import type { StateStore } from "#base/store/state-store.ts"
import {
  ABOUT,
  BACKUP_FORMAT,
  type BackupManifest,
  imageOf,
  indexPart,
  MANIFEST,
  STATE,
} from "./backup-format.ts"
import { TarWriter } from "./tar-writer.ts"

/** Frames of the export are combined into entries of about this size. */
const ENTRY_BYTES = 8 * 2 ** 20
/** Name prefix of folders for a copy of the state. */
export const SCRATCH = ".fossick-backup-"
const SWEPT_AFTER_MS = 86_400_000

export interface BackupSources {
  readonly dataDir: string
  readonly db: StateStore
  /** The engine, open for reading. */
  readonly engine: Engine
  /** A folder for the temporary copy of the state. */
  readonly scratchDir: string
  readonly signal?: AbortSignal
  /** Called with the part that is being copied. */
  readonly onProgress?: (what: "state" | "index" | "images", count: number) => void
}

/**
 * Writes a backup (backup-format.ts) of everything that an appliance keeps, while it serves and crawls. The state is a
 * snapshot, but the index is copied in the minutes after it: restoring brings the two in line (mend-state.ts).
 */
export async function* writeBackup(sources: BackupSources): AsyncGenerator<Buffer> {
  const createdAt = new Date()
  const tar = new TarWriter(createdAt)
  const filled = fill(tar, sources, createdAt).catch((error: unknown) => {
    tar.fail(error as Error)
    throw error
  })
  // The archive's stream reports the error as well.
  filled.catch(() => undefined)
  try {
    yield* tar.bytes()
  } finally {
    await filled
  }
}

async function fill(tar: TarWriter, sources: BackupSources, createdAt: Date): Promise<void> {
  const { engine, signal, onProgress } = sources
  const { embedder, dimensions, pages } = await engine.stats()
  const manifest: BackupManifest = {
    format: BACKUP_FORMAT,
    fossick: fossickVersion(),
    createdAt: createdAt.toISOString(),
    engine: engine.supports.adapter,
    embedder,
    dimensions,
    pages,
    about: ABOUT,
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await tar.add(MANIFEST, text.length, [text])
  onProgress?.("state", 0)
  await addState(tar, sources)
  signal?.throwIfAborted()
  await addIndex(tar, sources)
  await addThumbnails(tar, sources)
  await tar.finish()
}

async function addState(tar: TarWriter, { db, scratchDir }: BackupSources): Promise<void> {
  await sweepScratch(scratchDir)
  const scratch = await mkdtemp(path.join(scratchDir, SCRATCH))
  try {
    const copy = path.join(scratch, STATE)
    await copyState(db, copy)
    await chmod(copy, 0o600)
    refuseBroken(copy)
    await tar.add(STATE, (await stat(copy)).size, createReadStream(copy))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Removes folders that killed backups left behind at least a day ago. */
async function sweepScratch(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(SCRATCH)) continue
    const left = path.join(folder, name)
    const found = await unlessGone(stat(left))
    if (found && found.mtimeMs < Date.now() - SWEPT_AFTER_MS) await rm(left, { recursive: true, force: true })
  }
}

/** Throws if the state is damaged: otherwise a broken backup would be noticed only when it is needed. */
function refuseBroken(file: string): void {
  const db = new DatabaseSync(file)
  try {
    // Checks the indexes too, which a quick check skips.
    const said = db.prepare("pragma integrity_check(1)").get()?.["integrity_check"]
    if (said !== "ok") throw new CommandError(`state.db is damaged, so no backup was made: ${String(said)}`)
    // Otherwise SQLite would read the copy together with a log beside it.
    db.exec("pragma journal_mode = delete")
  } finally {
    db.close()
  }
}

async function addIndex(tar: TarWriter, { engine, signal, onProgress }: BackupSources): Promise<void> {
  let parts: Buffer[] = []
  let bytes = 0
  let number = 0
  const flush = async () => {
    await tar.add(indexPart(++number), bytes, parts)
    parts = []
    bytes = 0
  }
  for await (const part of writeExport(engine, { signal })) {
    parts.push(part.bytes)
    bytes += part.bytes.length
    if (bytes >= ENTRY_BYTES) await flush()
    onProgress?.("index", part.pages)
  }
  if (bytes > 0) await flush()
}

async function addThumbnails(tar: TarWriter, { dataDir, signal, onProgress }: BackupSources): Promise<void> {
  let count = 0
  for (let folder = 0; folder < 256; folder++) {
    const name = folder.toString(16).padStart(2, "0")
    for await (const file of filesIn(path.join(dataDir, "images", name))) {
      signal?.throwIfAborted()
      const entry = `images/${name}/${file}`
      const bytes = imageOf(entry) === null ? null : await unlessGone(readFile(path.join(dataDir, entry)))
      if (bytes === null) continue
      await tar.add(entry, bytes.length, [bytes])
      count++
      onProgress?.("images", count)
    }
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await unlessGone(opendir(folder))
  if (entries === null) return
  for await (const entry of entries) if (entry.isFile()) yield entry.name
}

/** Thumbnails can be added and deleted while they are being copied. */
async function unlessGone<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}
