import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { dirname, join } from "node:path"

import { Serial } from "#base/flow/serial.ts"
import { makeFolder } from "#base/folder.ts"
import { tryLock } from "#base/store/file-lock.ts"

const OWN_FILE = 0o600
const LOCKS = "locks"
/** The maximum number of processes with a journal in one data folder. */
const MOST_JOURNALS = 32

interface Waiting {
  readonly line: string
  readonly resolve: (place: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * An append-only file in the data folder for entries to be written to the state once its server is back. Each entry is
 * a line of JSON that is on the disk before {@link append} resolves. The file outlives its process; the next process on
 * the folder finds the entries in {@link left}. The state records under the file's id how many of its entries were
 * written, so that none is written twice.
 */
export class Journal implements AsyncDisposable {
  /** Entries left behind by an earlier process, in order; the first has position 0. */
  readonly left: readonly unknown[]
  readonly #path: string
  readonly #lock: Disposable
  readonly #turns = new Serial()
  #waiting: Waiting[] = []
  #file: FileHandle | null = null
  #id: string
  /** Number of entries and bytes that are on the disk. */
  #count: number
  #bytes: number

  private constructor(
    path: string,
    lock: Disposable,
    { id, entries, bytes }: ReturnType<typeof readJournal>,
  ) {
    this.#path = path
    this.#lock = lock
    this.left = entries
    this.#id = id
    this.#count = entries.length
    this.#bytes = bytes
  }

  /**
   * Opens the first journal in a data folder that no other process has locked, followed by the journals left there by
   * processes that have ended.
   * @throws Error of the system if the folder cannot be written to
   */
  static open(dataDir: string): readonly [Journal, ...Journal[]] {
    makeFolder(join(dataDir, LOCKS))
    const opened: Journal[] = []
    for (let at = 1; at <= MOST_JOURNALS; at++) {
      const path = join(dataDir, `uncounted-${at}.jsonl`)
      if (opened.length > 0 && !existsSync(path)) continue
      const lock = tryLock(join(dataDir, LOCKS, `uncounted-${at}.lock`))
      if (lock !== null) opened.push(new Journal(path, lock, readJournal(path)))
    }
    const [own, ...others] = opened
    if (own === undefined) throw new Error(`${MOST_JOURNALS} processes already keep a journal in ${dataDir}.`)
    return [own, ...others]
  }

  /** Identifies the current file; changes when {@link clear} removes it. */
  get id(): string {
    return this.#id
  }

  /**
   * Entries that are appended at the same time share one write.
   * @returns the entry's place in the file
   * @throws Error of the system, such as ENOSPC; the entry is then not in the file
   */
  append(entry: object): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: `${JSON.stringify(entry)}\n`, resolve, reject })
      void this.#turns.run(() => this.#writeWaiting())
    })
  }

  /** Removes the file if it has no more than `count` entries. @returns whether it was removed */
  clear(count: number): Promise<boolean> {
    return this.#turns.run(async () => {
      if (this.#count > count) return false
      await this.#file?.close()
      this.#file = null
      await rm(this.#path, { force: true })
      this.#id = randomUUID()
      this.#count = 0
      this.#bytes = 0
      return true
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.idle()
    await this.#file?.close()
    this.#file = null
    this.#lock[Symbol.dispose]()
  }

  async #writeWaiting(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length === 0) return
    try {
      await this.#put(batch.map(({ line }) => line).join(""))
    } catch (error) {
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { resolve } of batch) resolve(this.#count++)
  }

  async #put(lines: string): Promise<void> {
    const text = this.#bytes === 0 ? `${JSON.stringify({ journal: this.#id })}\n${lines}` : lines
    try {
      const file = (this.#file ??= await this.#opened())
      await file.appendFile(text)
      await file.datasync()
    } catch (error) {
      await this.#file?.close().catch(() => undefined)
      this.#file = null
      throw error
    }
    this.#bytes += Buffer.byteLength(text)
  }

  /** Cuts off an entry that was written only in part; its call was never answered. */
  async #opened(): Promise<FileHandle> {
    const file = await open(this.#path, "a", OWN_FILE)
    try {
      await file.truncate(this.#bytes)
      if (this.#bytes === 0) await syncFolder(dirname(this.#path))
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }
}

/** Makes a new file survive a loss of power. Windows has no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The complete entries of a journal. */
function readJournal(path: string): { id: string; entries: unknown[]; bytes: number } {
  const found = { id: randomUUID() as string, entries: [] as unknown[], bytes: 0 }
  for (const line of linesOf(path)) {
    const value = parsed(line)
    if (value === undefined) break
    if (found.bytes > 0) found.entries.push(value)
    else found.id = (value as { readonly journal: string }).journal
    found.bytes += Buffer.byteLength(line) + 1
  }
  return found
}

/** Lines that end in a line break. */
function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").slice(0, -1)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
