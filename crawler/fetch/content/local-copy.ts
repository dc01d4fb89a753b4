import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { makeFolder } from "#base/folder.ts"
import { tryLock } from "#base/store/file-lock.ts"

/** Folders inside the data folder with local copies of content from other machines. Each has one folder per source. */
const SHELVES = ["repositories", "mailboxes"] as const
const LOCK_MS = 250
/** How long a copy without a declared source is kept: `sources add` makes a copy before the source is declared. */
const KEPT_MS = 3_600_000
/** Mode of the folder, which only Fossick's user may read, since a copy may contain content that a password protects. */
const OWN_FOLDER = 0o700

/** The folder of a source's copy. */
export const copyFolder = (dataDir: string, shelf: (typeof SHELVES)[number], source: string): string =>
  join(dataDir, shelf, createHash("sha256").update(source).digest("hex").slice(0, 32))

/** Creates the folder of a copy, waits until no other process is using it, and does the work under its lock. */
export async function withCopy<T>(dir: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  makeFolder(dir, OWN_FOLDER)
  for (;;) {
    using lock = tryLock(join(dir, "lock"))
    if (lock !== null) return await work()
    await sleep(LOCK_MS, undefined, { signal })
  }
}

/** Deletes the copies on this machine whose sources are gone. @param declared names of sources */
export async function forgetCopies(dataDir: string, declared: readonly string[]): Promise<void> {
  for (const shelf of SHELVES) {
    const names = await readdir(join(dataDir, shelf)).catch(() => [])
    const kept = new Set(declared.map((name) => basename(copyFolder(dataDir, shelf, name))))
    for (const name of names.filter((one) => !kept.has(one))) {
      const dir = join(dataDir, shelf, name)
      // The time is read before locking, since locking changes it.
      if (Date.now() - statSync(dir).mtimeMs < KEPT_MS) continue
      using lock = tryLock(join(dir, "lock"))
      if (lock !== null) await rm(dir, { recursive: true, force: true })
    }
  }
}
