import { hasLivingProcess } from "../../jobs/crawler-processes.ts"
import { existsSync } from "node:fs"
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { makeFolder } from "#base/folder.ts"
import { syncFolder } from "#engine/lifecycle/move/export-to-file.ts"
import { PLAN, RESTORING } from "#base/store/unfinished-restore.ts"
import { SCRATCH } from "./write-backup.ts"

const ASIDE = "before-restore-"
/**
 * Names that a restore never adds or removes: files that are recreated, locks, files that containers store here for
 * other purposes (the server's own files, its key, language models), and files that can be in any folder.
 */
const STAYS: ReadonlySet<string> = new Set(
  "compile-cache models locks meilisearch secrets model README.md .gitignore lost+found"
    .split(" ")
    .concat(RESTORING),
)

/** The renames in the data folder that follow once everything is restored. */
interface Plan {
  /** The folder inside the data folder that receives the earlier files. */
  readonly aside: string
  readonly old: readonly string[]
  readonly fresh: readonly string[]
}

export const stagingOf = (dataDir: string): string => path.join(dataDir, RESTORING)

/** An appliance's files in the data folder, except those that are recreated automatically. */
export async function contentsOf(dataDir: string): Promise<string[]> {
  const names = existsSync(dataDir) ? await readdir(dataDir) : []
  return names.filter((name) => !STAYS.has(name) && !name.startsWith(ASIDE) && !name.startsWith(SCRATCH))
}

/** Whether a process is crawling for this data folder, which means that an appliance is running on it. */
export async function isInUse(dataDir: string): Promise<boolean> {
  const file = path.join(dataDir, "state.db")
  if (!existsSync(file)) return false
  try {
    using db = new SqliteStore(new DatabaseSync(file, { timeout: 1000 }))
    return await hasLivingProcess(db)
  } catch {
    // An unreadable store is a reason to restore, not an appliance in use.
    return false
  }
}

/**
 * Moves the files from the staging folder into place, and the earlier ones aside. If the process dies in the middle of
 * this, a plan remains from which {@link finishRestore} completes the move.
 * @returns the folder with the earlier files, or null when there were none
 */
export async function moveIntoPlace(dataDir: string, now: Date): Promise<string | null> {
  const staging = stagingOf(dataDir)
  const old = await contentsOf(dataDir)
  const plan: Plan = {
    aside: ASIDE + now.toISOString().replaceAll(/[:.]/g, "-"),
    old,
    fresh: (await readdir(staging)).filter((name) => !STAYS.has(name)),
  }
  const draft = path.join(staging, `${PLAN}.new`)
  await writeFile(draft, JSON.stringify(plan))
  await syncFile(draft)
  await rename(draft, path.join(staging, PLAN))
  await syncFolder(staging)
  return await finishRestore(dataDir)
}

/** Whether everything is restored and only has to be moved into place. */
export const isWhole = (dataDir: string): boolean => existsSync(path.join(stagingOf(dataDir), PLAN))

/** Completes a plan from the point where it was interrupted. Returns the same as {@link moveIntoPlace}. */
export async function finishRestore(dataDir: string): Promise<string | null> {
  const staging = stagingOf(dataDir)
  const { aside, old, fresh } = JSON.parse(await readFile(path.join(staging, PLAN), "utf8")) as Plan
  const asideFolder = path.join(dataDir, aside)
  if (old.length > 0) makeFolder(asideFolder)
  for (const name of old) {
    // If a file with this name is already in the aside folder, the one in the data folder is the restored one.
    if (existsSync(path.join(asideFolder, name))) continue
    await rename(path.join(dataDir, name), path.join(asideFolder, name))
  }
  for (const name of fresh) {
    const from = path.join(staging, name)
    if (existsSync(from)) await rename(from, path.join(dataDir, name))
  }
  await syncFolder(dataDir)
  await rm(staging, { recursive: true })
  return old.length > 0 ? asideFolder : null
}

/** Makes sure that a file survives a power failure. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r+")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
