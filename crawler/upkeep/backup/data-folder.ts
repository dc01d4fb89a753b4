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
 * What no restore brings or takes away: what is made again, locks, what others keep here in containers (the server's own files, the
 * key to it, language models), and what stands in every folder.
 */
const STAYS: ReadonlySet<string> = new Set(
  "compile-cache models locks meilisearch secrets model README.md .gitignore lost+found"
    .split(" ")
    .concat(RESTORING),
)

/** What is to be done with names in the data folder once all that is restored is whole. */
interface Plan {
  /** The folder, in the data folder, that takes what was there before. */
  readonly aside: string
  readonly old: readonly string[]
  readonly fresh: readonly string[]
}

export const stagingOf = (dataDir: string): string => path.join(dataDir, RESTORING)

/** What of an appliance is in the data folder; what is made again by itself does not count. */
export async function contentsOf(dataDir: string): Promise<string[]> {
  const names = existsSync(dataDir) ? await readdir(dataDir) : []
  return names.filter((name) => !STAYS.has(name) && !name.startsWith(ASIDE) && !name.startsWith(SCRATCH))
}

/** Whether a process crawls for this data folder, and so whether an appliance runs on it. */
export async function isInUse(dataDir: string): Promise<boolean> {
  const file = path.join(dataDir, "state.db")
  if (!existsSync(file)) return false
  try {
    using db = new SqliteStore(new DatabaseSync(file, { timeout: 1000 }))
    return await hasLivingProcess(db)
  } catch {
    // A store that cannot be read is what one restores for.
    return false
  }
}

/**
 * Puts what stands in the staging folder in its place, and what was there before aside. A process that dies meanwhile leaves a
 * plan with which {@link finishRestore} ends it.
 * @returns the folder with what was there before, or null when there was nothing
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

/** Whether all that is restored is whole, and only has to be put in its place. */
export const isWhole = (dataDir: string): boolean => existsSync(path.join(stagingOf(dataDir), PLAN))

/** Carries a plan out, from wherever it was left. As {@link moveIntoPlace}. */
export async function finishRestore(dataDir: string): Promise<string | null> {
  const staging = stagingOf(dataDir)
  const { aside, old, fresh } = JSON.parse(await readFile(path.join(staging, PLAN), "utf8")) as Plan
  const asideFolder = path.join(dataDir, aside)
  if (old.length > 0) makeFolder(asideFolder)
  for (const name of old) {
    // One that is aside already has a successor in its place.
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

/** Has a file outlive a power cut. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r+")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
