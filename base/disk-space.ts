import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { KnownError } from "./errors.ts"
import { bytesOf, type FreeSpace } from "./free-space.ts"
import { makeFolder, readOnlyBecause, type ReadOnlyBecause, readOnlyMessage, writableBy } from "./folder.ts"
import { SettingsError } from "./settings.ts"
import { steadyNow } from "./steady-time.ts"

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
/** SQLite's I/O error codes for writing: write, fsync, directory fsync, truncate, delete, and creating and extending the shared-memory file. */
const SQLITE_WRITES = new Set([778, 1034, 1290, 1546, 2570, 4618, 4874])
/** Error codes for: no space, quota exceeded, read-only. */
const ERRNOS = new Set(["ENOSPC", "EDQUOT", "EROFS"])
/** Matches messages of libraries that report no error codes, such as LanceDB ("os error 28" is ENOSPC, 30 EROFS, 122 EDQUOT on Linux). */
const WORDS =
  /no space left on device|disk quota exceeded|database or disk is full|read-only file system|\bos error (?:28|30|122)\b|\b(?:ENOSPC|EROFS)\b/i
/** A disk with less free space than this counts as full. An I/O error from SQLite may be the only sign of that. */
const AS_GOOD_AS_NOTHING = 1_000_000
const MB = 1_000_000
/** Writing resumes only when the free space exceeds the minimum by this share, so that writing does not stop again at once. */
const MORE = 0.1

/** There is no space left on the disk, or less than the minimum, or the disk is read-only. The message is for the operator, and names the folder. */
export class UnwritableError extends KnownError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "UnwritableError"
  }
}

/**
 * Whether something failed because the disk has no room or is read-only, judging by the error's code, its message or
 * its cause.
 * @param dir the folder that was written to; its state helps to explain an SQLite I/O error
 */
export function isUnwritable(error: unknown, dir?: string): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode, cause } = error as NodeJS.ErrnoException & { errcode?: number; cause?: unknown }
  if (error instanceof UnwritableError) return true
  if (ERRNOS.has(code ?? "") || WORDS.test(error.message)) return true
  if (code === "ERR_SQLITE_ERROR" && errcode !== undefined) {
    // The higher bytes of the number specify the kind of I/O error.
    const primary = errcode & 0xff
    if (primary === SQLITE_FULL) return true
    if (dir !== undefined) {
      const maySay = [SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN].includes(primary)
      if (maySay && unwritableBecause(dir) !== null) return true
    }
  }
  return cause !== undefined && isUnwritable(cause, dir)
}

/** Whether SQLite could not write: no room, a read-only folder, or a failing disk. */
export function failedToWrite(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (SQLITE_WRITES.has(errcode) || (errcode & 0xff) === SQLITE_READONLY)
}

/** Bytes that can still be written to the disk of a folder, which need not exist yet; Infinity if unknown. */
export const freeBytes = (dir: string): number => diskOf(dir)?.freeBytes ?? Infinity

/** Free and total bytes of the disk that a folder is on; the folder need not exist yet. Null if unknown. */
export function diskOf(dir: string): { readonly freeBytes: number; readonly totalBytes: number } | null {
  for (let folder = dir; ; folder = dirname(folder)) {
    try {
      const { bavail, blocks, bsize } = statfsSync(folder)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT"
      if (!isMissing || folder === dirname(folder)) return null
    }
  }
}

const isFull = (free: number): boolean => free < AS_GOOD_AS_NOTHING

/** Why a process that is starting cannot write to a folder. */
export type UnwritableBecause = ReadOnlyBecause | "ENOSPC"

/** Why a process that is starting cannot write to a folder: the folder is read-only, or its disk is almost full. `null` if the process can write. */
export const unwritableBecause = (dir: string): UnwritableBecause | null =>
  readOnlyBecause(dir) ?? (isFull(freeBytes(dir)) ? "ENOSPC" : null)

/** What the operator can do, as the first half of a sentence. */
export const remedy = (because: UnwritableBecause): string =>
  because === "ENOSPC" ? "make room on its disk" : writableBy(because)

/** @param error why nothing can be stored in the data folder */
export function notWritable({
  code = "",
  message,
}: Pick<NodeJS.ErrnoException, "code" | "message">): SettingsError {
  const isKnown = code === "ENOSPC" || code === "EROFS" || code === "EACCES" || code === "EPERM"
  const first = isKnown ? `${remedy(code)}, or ` : ""
  return new SettingsError([
    `FOSSICK_DATA_DIR must be a writable folder: ${first}set it to another folder (${message})`,
  ])
}

/** An appliance stores keys, and pages from behind logins, so only its own user may access the folder. */
const OWN_FOLDER = 0o700

/**
 * Creates the data folder unless it exists.
 * @throws SettingsError if it cannot be created
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir, OWN_FOLDER)
  } catch (error) {
    throw notWritable(error as NodeJS.ErrnoException)
  }
}

/**
 * The message for a full disk. The caller adds what happens next: a running process continues automatically, a command
 * has to be run again.
 */
export function unwritableMessage(dir: string): string {
  const because = readOnlyBecause(dir)
  return because === null ? fullMessage(dir, freeBytes(dir)) : readOnlyMessage(dir, because)
}

function fullMessage(dir: string, free: number): string {
  return `The disk is full: ${megabytes(free)} left for ${dir}. Make room on it; the data on it is safe.`
}

/** The error to report: an UnwritableError if a full or read-only disk is the cause, otherwise `error`. */
export function unwritableOr(error: unknown, dir: string): unknown {
  if (!isUnwritable(error, dir)) return error
  return new UnwritableError(unwritableMessage(dir), { cause: error })
}

/** How a {@link DiskRoom} sees its disk. */
export interface DiskRoomOptions {
  /** The operator is warned when less than this much space is free; with 0, the default, never. */
  readonly warn?: FreeSpace
  /** Number of free bytes. */
  readonly free?: (() => number) | undefined
  /** Total bytes of the disk. */
  readonly total?: () => number
  /** Why nothing can be written to the folder; `null` if it is writable. */
  readonly readOnly?: () => ReadOnlyBecause | null
}

/**
 * Makes sure that bulk writes, mainly crawls and vectors, leave room on the disk for everything else. There are two watermarks:
 * at the first the operator is warned, at the second bulk writes stop until there is room again. A read-only folder has no room.
 */
export class DiskRoom {
  readonly dir: string
  readonly #least: FreeSpace
  readonly #warn: FreeSpace
  readonly #free: () => number
  readonly #total: () => number
  readonly #lookReadOnly: () => ReadOnlyBecause | null
  #readOnly: ReadOnlyBecause | null = null
  #lookedAt = -Infinity
  #isLow = false
  #isNear = false

  /** @param least bytes that must stay free; 0 for no minimum */
  constructor(dir: string, least: FreeSpace, { warn = 0, free, total, readOnly }: DiskRoomOptions = {}) {
    this.dir = dir
    this.#least = least
    this.#warn = warn
    this.#free = free ?? (() => freeBytes(dir))
    this.#total = total ?? (() => diskOf(dir)?.totalBytes ?? 0)
    this.#lookReadOnly = readOnly ?? (() => readOnlyBecause(dir))
  }

  /** Why nothing can be written, regardless of free space; `null` if the folder is writable. */
  get readOnly(): ReadOnlyBecause | null {
    if (steadyNow() - this.#lookedAt < LOOK_MS) return this.#readOnly
    this.#lookedAt = steadyNow()
    this.#readOnly = this.#lookReadOnly()
    return this.#readOnly
  }

  /** Whether nothing more can be stored: the disk is full to the last byte, or read-only. */
  get takesNothing(): boolean {
    return isFull(this.#free()) || this.readOnly !== null
  }

  /** Bytes that have to stay free. */
  get leastBytes(): number {
    return bytesOf(this.#least, typeof this.#least === "number" ? 0 : this.#total())
  }

  get freeBytes(): number {
    return this.#free()
  }

  /** Used and available bytes of the whole disk, whoever uses it; null if unknown. */
  get use(): { readonly usedBytes: number; readonly mostBytes: number } | null {
    const disk = diskOf(this.dir)
    return disk && { usedBytes: disk.totalBytes - this.#free(), mostBytes: disk.totalBytes - this.leastBytes }
  }

  /** Whether there is too little space, or nothing can be written. After a shortage, a tenth more than the minimum must be free. */
  isLow(): boolean {
    this.#isLow = this.#isBelow(this.leastBytes, this.#isLow)
    return this.#isLow || this.readOnly !== null
  }

  /** Whether space will soon run out. After a warning, a tenth more than the threshold must be free. */
  isNear(): boolean {
    const bytes = bytesOf(this.#warn, typeof this.#warn === "number" ? 0 : this.#total())
    this.#isNear = this.#isBelow(bytes, this.#isNear)
    return this.#isNear
  }

  #isBelow(bytes: number, wasBelow: boolean): boolean {
    return this.#free() < bytes + (wasBelow ? bytes * MORE : 0)
  }

  /** A warning before space runs out; null when there is enough room, or already too little. */
  nearNote(): string | null {
    if (!this.isNear() || this.isLow()) return null
    return `The disk of ${this.dir} is filling up: ${megabytes(this.#free())} left, less than FOSSICK_WARN_FREE_MB. Crawls and vectors will stop when ${megabytes(this.leastBytes)} are left.`
  }

  /** The message for the operator; it names the folder. */
  get note(): string {
    const because = this.readOnly
    if (because !== null)
      return `${readOnlyMessage(this.dir, because)} Crawls and vectors wait until then; searches continue.`
    return `The disk of ${this.dir} is nearly full: ${megabytes(this.#free())} left, and FOSSICK_MIN_FREE_MB keeps ${megabytes(this.leastBytes)} free. Crawls and vectors wait until there is room again; searches continue.`
  }

  /** The current warning: {@link note}, or that the disk is full, whatever the cause; `null` if there is room. */
  warning(): string | null {
    if (isFull(this.#free()) && this.readOnly === null) return fullMessage(this.dir, this.#free())
    return this.isLow() ? this.note : null
  }

  /** The same warning for any reader, or null when there is room. */
  problem(): string | null {
    const because = this.readOnly
    if (because !== null)
      return `the data folder (FOSSICK_DATA_DIR) is read-only: nothing can be stored, and crawls and vectors wait; searches continue. To fix this, ${writableBy(because)}`
    if (isFull(this.#free()))
      return "the disk is full: nothing can be stored until there is room again; searches continue"
    if (!this.isLow())
      return this.isNear() ? `the disk is filling up (${megabytes(this.#free())} left)` : null
    return `the disk is nearly full (${megabytes(this.#free())} left): crawls and vectors wait until there is room again`
  }

  /** @throws UnwritableError when there is too little room to begin */
  assertRoom(): void {
    if (this.isLow()) throw new UnwritableError(this.note)
  }

  /**
   * A signal that aborts with `signal`, or when there is too little room.
   * @param onLow called just before it aborts for lack of room
   */
  untilLow(
    signal: AbortSignal,
    onLow: (note: string) => void = () => {},
  ): Disposable & { readonly signal: AbortSignal } {
    const low = new AbortController()
    const look = () => {
      if (low.signal.aborted || !this.isLow()) return
      onLow(this.note)
      low.abort()
    }
    look()
    const timer = setInterval(look, LOOK_MS)
    timer.unref()
    return { signal: AbortSignal.any([signal, low.signal]), [Symbol.dispose]: () => clearInterval(timer) }
  }
}

/** Milliseconds between checks, which are frequent enough: bulk writes use a few megabytes a second. */
const LOOK_MS = 1000

const megabytes = (bytes: number): string => `${Math.floor(bytes / MB)} MB`
