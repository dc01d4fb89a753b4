import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { KnownError } from "./errors.ts"
import { bytesOf, type FreeSpace } from "./free-space.ts"

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const SQLITE_FULL = 13
const SQLITE_IOERR = 10
/** No room, no room within the quota. */
const ERRNOS = new Set(["ENOSPC", "EDQUOT"])
/** What libraries that know no codes say, LanceDB among them ("os error 28" is ENOSPC, 122 EDQUOT on Linux). */
const WORDS =
  /no space left on device|disk quota exceeded|database or disk is full|\bos error (?:28|122)\b|\bENOSPC\b/i
/** An I/O error of SQLite means a full disk where less than this is free: it may be all that is said of one. */
const AS_GOOD_AS_NOTHING = 1_000_000
const MB = 1_000_000
/** Writing begins again with so much more than the least that has to be free, so that it does not stop at once. */
const MORE = 0.1

/** There is no room left on the disk, or less than has to stay free. The message is for the operator: it names the folder. */
export class DiskFullError extends KnownError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "DiskFullError"
  }
}

/**
 * Whether something failed for want of room, by its own code, its words or its cause's.
 * @param dir where it wrote; tells what an I/O error of SQLite was
 */
export function isDiskFull(error: unknown, dir?: string): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode, cause } = error as NodeJS.ErrnoException & { errcode?: number; cause?: unknown }
  if (error instanceof DiskFullError) return true
  if (ERRNOS.has(code ?? "") || WORDS.test(error.message)) return true
  if (code === "ERR_SQLITE_ERROR" && errcode !== undefined) {
    // The rest of the number says which kind of I/O error it is.
    const primary = errcode & 0xff
    if (primary === SQLITE_FULL) return true
    if (primary === SQLITE_IOERR && dir !== undefined && freeBytes(dir) < AS_GOOD_AS_NOTHING) return true
  }
  return cause !== undefined && isDiskFull(cause, dir)
}

/** Bytes that may still be written to the disk of a folder, which need not be there yet; Infinity where nobody knows. */
export const freeBytes = (dir: string): number => diskOf(dir)?.freeBytes ?? Infinity

/** Bytes of the disk of a folder, which need not be there yet; null where nobody knows. */
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

/** Whether next to nothing can be written any more. */
export const isFull = (room: Pick<DiskRoom, "freeBytes">): boolean => room.freeBytes < AS_GOOD_AS_NOTHING

/** The one message for it. What comes next is for its caller to say: a process that runs goes on by itself, a command has to be run again. */
export const diskFullMessage = (dir: string): string => fullMessage(dir, freeBytes(dir))

function fullMessage(dir: string, free: number): string {
  return `The disk is full: ${megabytes(free)} left for ${dir}. Make room on it; what is kept there is safe.`
}

/** `error`, or that the disk is full when that is what it comes to. */
export function diskFullOr(error: unknown, dir: string): unknown {
  if (!isDiskFull(error, dir)) return error
  return new DiskFullError(diskFullMessage(dir), { cause: error })
}

/** How a {@link DiskRoom} sees its disk. */
export interface DiskRoomOptions {
  /** With less than this free, the operator is warned; 0, the default: never. */
  readonly warn?: FreeSpace
  /** Bytes that are free. */
  readonly free?: (() => number) | undefined
  /** Bytes of the whole disk. */
  readonly total?: () => number
}

/**
 * Watches that what is written in bulk, crawls and vectors above all, leaves room on the disk for the rest. There are two
 * watermarks: at the first the operator is warned, at the second writing in bulk stops, until there is room again.
 */
export class DiskRoom {
  readonly dir: string
  readonly #least: FreeSpace
  readonly #warn: FreeSpace
  readonly #free: () => number
  readonly #total: () => number
  #isLow = false
  #isNear = false

  /** @param least what has to stay free; 0: nothing */
  constructor(dir: string, least: FreeSpace, { warn = 0, free, total }: DiskRoomOptions = {}) {
    this.dir = dir
    this.#least = least
    this.#warn = warn
    this.#free = free ?? (() => freeBytes(dir))
    this.#total = total ?? (() => diskOf(dir)?.totalBytes ?? 0)
  }

  /** Bytes that have to stay free. */
  get leastBytes(): number {
    return bytesOf(this.#least, typeof this.#least === "number" ? 0 : this.#total())
  }

  get freeBytes(): number {
    return this.#free()
  }

  /** Of the whole disk: what is taken, by whomever, and what may be; null where nobody knows. */
  get use(): { readonly usedBytes: number; readonly mostBytes: number } | null {
    const disk = diskOf(this.dir)
    return disk && { usedBytes: disk.totalBytes - this.#free(), mostBytes: disk.totalBytes - this.leastBytes }
  }

  /** Whether there is too little. Once there was, it takes a tenth more to be enough. */
  isLow(): boolean {
    this.#isLow = this.#isBelow(this.leastBytes, this.#isLow)
    return this.#isLow
  }

  /** Whether there will be too little soon. Once that was so, it takes a tenth more to be otherwise. */
  isNear(): boolean {
    const bytes = bytesOf(this.#warn, typeof this.#warn === "number" ? 0 : this.#total())
    this.#isNear = this.#isBelow(bytes, this.#isNear)
    return this.#isNear
  }

  #isBelow(bytes: number, wasBelow: boolean): boolean {
    return this.#free() < bytes + (wasBelow ? bytes * MORE : 0)
  }

  /** What the operator is told before there is too little; null when there is room enough, or too little already. */
  nearNote(): string | null {
    if (!this.isNear() || this.isLow()) return null
    return `The disk of ${this.dir} is filling up: ${megabytes(this.#free())} left, less than FOSSICK_WARN_FREE_MB. Crawls and vectors stop when ${megabytes(this.leastBytes)} are left.`
  }

  /** For the operator; names the folder. */
  get note(): string {
    return `The disk of ${this.dir} is nearly full: ${megabytes(this.#free())} left, and FOSSICK_MIN_FREE_MB keeps ${megabytes(this.leastBytes)} free. Crawls and vectors wait until there is room again; searches go on.`
  }

  /** What the operator is told now: {@link note}, or that the disk is full, whatever may fill it; null when there is room. */
  warning(): string | null {
    if (isFull(this)) return fullMessage(this.dir, this.#free())
    return this.isLow() ? this.note : null
  }

  /** The same for anybody, or null when there is room. */
  problem(): string | null {
    if (isFull(this)) return "the disk is full: nothing can be kept until there is room again; searches go on"
    if (!this.isLow())
      return this.isNear() ? `the disk is filling up (${megabytes(this.#free())} left)` : null
    return `the disk is nearly full (${megabytes(this.#free())} left): crawls and vectors wait until there is room again`
  }

  /** @throws DiskFullError when there is too little room to begin */
  assertRoom(): void {
    if (this.isLow()) throw new DiskFullError(this.note)
  }

  /**
   * A signal that aborts with `signal`, or when there is too little room.
   * @param onLow told in the latter case, before
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

/** What is written in bulk takes some megabytes a second. */
const LOOK_MS = 1000

const megabytes = (bytes: number): string => `${Math.floor(bytes / MB)} MB`
