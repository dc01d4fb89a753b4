import type { Stats } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { KnownError } from "#base/errors.ts"
import { codeOf } from "../../network-error.ts"
import { changedAt } from "../folder/walk.ts"
import { OPEN_NOW } from "../read-file.ts"
import { type Archive, ArchiveError, type ArchiveFormat, type IndexOptions } from "./archive.ts"
import { MAX_ENTRIES } from "./bounds.ts"
import { CutOffError, FileBytes } from "./bytes.ts"

/** Maximum number of indexes kept; fewer are kept if they contain too many entries in total. */
const MAX_ARCHIVES = 8

/** An indexed archive whose file stays open until the lease is disposed. */
export interface Lease extends AsyncDisposable {
  readonly archive: Archive
  readonly bytes: FileBytes
}

interface Kept {
  readonly path: string
  readonly identity: string
  readonly archive: Promise<Archive>
  size: number
  uses: number
  isDropped: boolean
}

/** The archives that a process is reading. Each version of a file is indexed once. */
export class OpenArchives implements AsyncDisposable {
  /** The archives kept open, the most recently used last. */
  #kept: Kept[] = []
  readonly #scratch: IndexOptions["scratch"]

  constructor(scratch: IndexOptions["scratch"]) {
    this.#scratch = scratch
  }

  /** @throws KnownError when the archive cannot be read */
  async lease(path: string, format: ArchiveFormat): Promise<Lease> {
    const file = await this.#open(path)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) throw new KnownError(`The archive ${path} isn't a regular file.`)
      const bytes = new FileBytes(file, stats.size)
      const kept = this.#keptAt(path, stats) ?? this.#index(path, stats, format, bytes)
      kept.uses += 1
      const giveBack = async () => {
        kept.uses -= 1
        await closeUnused(kept)
        await file.close()
      }
      try {
        return { archive: await kept.archive, bytes, [Symbol.asyncDispose]: giveBack }
      } catch (error) {
        kept.uses -= 1
        this.#drop(kept)
        throw error
      }
    } catch (error) {
      await file.close()
      throw archiveTrouble(path, error as Error)
    }
  }

  async #open(path: string): Promise<FileHandle> {
    try {
      return await open(path, OPEN_NOW)
    } catch (error) {
      throw archiveTrouble(path, error as Error)
    }
  }

  #keptAt(path: string, stats: Stats): Kept | null {
    const kept = this.#kept.find((one) => one.path === path)
    if (kept === undefined) return null
    this.#kept = this.#kept.filter((one) => one !== kept)
    if (kept.identity !== identityOf(stats)) {
      this.#drop(kept)
      return null
    }
    this.#kept.push(kept)
    return kept
  }

  #index(path: string, stats: Stats, format: ArchiveFormat, bytes: FileBytes): Kept {
    const identity = identityOf(stats)
    const archive = indexed(format, bytes, identity, {
      changedAt: changedAt(stats),
      scratch: this.#scratch,
    })
    const kept: Kept = { path, identity, archive, size: 0, uses: 0, isDropped: false }
    this.#kept.push(kept)
    void this.#measure(kept)
    return kept
  }

  async #measure(kept: Kept): Promise<void> {
    const archive = await kept.archive.catch(() => null)
    if (archive === null) return
    kept.size = archive.size
    this.#trim()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = this.#kept
    this.#kept = []
    await Promise.all(
      all.map((kept) => {
        kept.isDropped = true
        return closeUnused(kept)
      }),
    )
  }

  /** Drops the least recently used archives until the remaining ones fit; always keeps the most recent one. */
  #trim(): void {
    const all = () => this.#kept.reduce((sum, { size }) => sum + size, 0)
    while (this.#kept.length > 1 && (this.#kept.length > MAX_ARCHIVES || all() > 2 * MAX_ENTRIES))
      this.#drop(this.#kept[0]!)
  }

  #drop(kept: Kept): void {
    this.#kept = this.#kept.filter((one) => one !== kept)
    kept.isDropped = true
    void closeUnused(kept)
  }
}

async function indexed(
  format: ArchiveFormat,
  bytes: FileBytes,
  identity: string,
  options: IndexOptions,
): Promise<Archive> {
  const archive = await format.index(bytes, options)
  if (identityOf(await bytes.handle.stat()) === identity) return archive
  await archive.close()
  throw new ArchiveError("it changed while it was being read; the next run will read it again")
}

async function closeUnused(kept: Kept): Promise<void> {
  if (!kept.isDropped || kept.uses > 0) return
  await kept.archive.then(
    (archive) => archive.close(),
    () => {},
  )
}

/** An identity that changes whenever the file is replaced or modified. */
function identityOf(stats: Stats): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = stats
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ")
}

/** As {@link identityOf}, but without opening the file; returns the error's code if that fails. */
export async function fingerprintOf(path: string): Promise<string> {
  try {
    return identityOf(await stat(path))
  } catch (error) {
    return codeOf(error as Error)
  }
}

/** The error to show for an archive that can't be read: a KnownError, unless there is a bug. */
export function archiveTrouble(path: string, error: Error): Error {
  if (error instanceof KnownError) return error
  if (error instanceof ArchiveError)
    return new KnownError(`The archive ${path} cannot be read: ${error.message}.`)
  if (error instanceof CutOffError)
    return new KnownError(`The archive ${path} cannot be read: it is cut off.`)
  const code = codeOf(error)
  if (code === "") return error
  const hint = code === "ENOSPC" ? "there is not enough disk space to unpack it" : code
  return new KnownError(`The archive ${path} cannot be read (${hint}). If it is on a share, mount the share.`)
}
