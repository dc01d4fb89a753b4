import { open, readdir, stat } from "node:fs/promises"
import path from "node:path"
import { crc32 } from "node:zlib"
import { readSealed, writeSealed } from "#base/store/sealed-json.ts"

/** Number of bytes read at a time: computing their checksum takes half a millisecond. */
const CHUNK = 1_048_576
/**
 * Files that LanceDB writes once and never changes. Other files don't matter: a single writer doesn't reread its
 * transaction logs, and the hint about the newest version is only a hint.
 */
const COVERED = /^(data|_versions|_indices|_deletions)\/.*(?<!\.json)$/

interface Ledger {
  /** Whether LanceDB is deleting old files: a missing file could be one of them. */
  readonly isCleaning: boolean
  /** Size in bytes and CRC-32, by path relative to the table's folder. */
  readonly files: Readonly<Record<string, readonly [size: number, sum: number]>>
}

const EMPTY: Ledger = { isCleaning: false, files: {} }

/** A file that differs from what was written. */
export interface DamagedFile {
  /** Path relative to the index folder. */
  readonly file: string
  /** Completes a sentence whose subject is the file. */
  readonly damage: string
}

/**
 * Sizes and checksums of the files of one table, in `<table>.sums.json` next to it: LanceDB stores no checksums, and
 * doesn't notice when a byte of an index has changed.
 *
 * The writer updates them when nothing is being written to the table. Until then, later writes aren't covered.
 */
export class FileSums {
  readonly #dir: string
  readonly #table: string
  #ledger: Ledger

  private constructor(dir: string, table: string, ledger: Ledger) {
    this.#dir = dir
    this.#table = table
    this.#ledger = ledger
  }

  static async load(dir: string, table: string): Promise<FileSums> {
    return new FileSums(dir, table, (await readLedger(dir, table)) ?? EMPTY)
  }

  /** Call this before LanceDB can delete files. */
  async cleaning(): Promise<void> {
    if (!this.#ledger.isCleaning) await this.#save({ ...this.#ledger, isCleaning: true })
  }

  /** Records the current files. Nothing may write to the table in the meantime. */
  async refresh(): Promise<void> {
    const known = this.#ledger.files
    const files: Record<string, readonly [number, number]> = {}
    let isSame = !this.#ledger.isCleaning
    for (const file of await coveredFiles(folderOf(this.#dir, this.#table))) {
      files[file] = known[file] ?? (await measure(path.join(folderOf(this.#dir, this.#table), file)))
      isSame &&= known[file] !== undefined
    }
    isSame &&= Object.keys(known).length === Object.keys(files).length
    if (!isSame) await this.#save({ isCleaning: false, files })
  }

  async #save(ledger: Ledger): Promise<void> {
    this.#ledger = ledger
    await writeSealed(ledgerOf(this.#dir, this.#table), ledger)
  }
}

/** Number of bytes in all files of a table. */
export async function coveredBytes(dir: string, table: string): Promise<number> {
  const { files } = (await readLedger(dir, table)) ?? EMPTY
  return Object.values(files).reduce((sum, [size]) => sum + size, 0)
}

/**
 * The files of a table that are missing, have a different size, or (`withSums`) have content that differs from what was
 * written. Checking sizes takes a millisecond per hundred files; checking checksums takes as long as reading all files.
 */
export async function damagedFiles(dir: string, table: string, withSums: boolean): Promise<DamagedFile[]> {
  for (;;) {
    const ledger = await readLedger(dir, table)
    if (ledger === null) return []
    const found: DamagedFile[] = []
    const missing: DamagedFile[] = []
    for (const [name, [size, sum]] of Object.entries(ledger.files)) {
      const full = path.join(folderOf(dir, table), name)
      const file = `${table}.lance/${name}`
      const bytes = await sizeOf(full)
      if (bytes === null) missing.push({ file, damage: "is missing" })
      else if (bytes !== size) found.push({ file, damage: `has ${bytes} bytes instead of ${size}` })
      else if (withSums) {
        const now = await measure(full).catch(() => null)
        if (now && now[1] !== sum) found.push({ file, damage: "differs from what was written" })
      }
    }
    if (missing.length === 0 || ledger.isCleaning) return found
    // The writer might have deleted these files since the ledger was read.
    const now = await readLedger(dir, table)
    if (JSON.stringify(now) === JSON.stringify(ledger)) return [...found, ...missing]
  }
}

/** `null` if the ledger is intact. */
export async function damagedLedger(dir: string, table: string): Promise<DamagedFile | null> {
  const { value, damage } = await readSealed<Ledger>(ledgerOf(dir, table))
  return value ? null : { file: `${table}.sums.json`, damage: damage ?? "is missing" }
}

const folderOf = (dir: string, table: string): string => path.join(dir, `${table}.lance`)
const ledgerOf = (dir: string, table: string): string => path.join(dir, `${table}.sums.json`)

/** `null` if there is no ledger, as with tables from older versions, or if it can't be read. */
async function readLedger(dir: string, table: string): Promise<Ledger | null> {
  const { value } = await readSealed<Ledger>(ledgerOf(dir, table))
  return value && { ...EMPTY, ...value }
}

async function coveredFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
    .filter((file) => COVERED.test(file))
}

async function measure(file: string): Promise<readonly [size: number, sum: number]> {
  await using handle = await open(file)
  // The buffer isn't larger than the file: most are small, and allocating a megabyte for each kept the garbage
  // collector busy for half the time of a write.
  const most = Math.min(CHUNK, (await handle.stat()).size + 1)
  const chunk = Buffer.allocUnsafe(most)
  let [size, sum] = [0, 0]
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, most)
    if (bytesRead === 0) return [size, sum]
    size += bytesRead
    sum = crc32(chunk.subarray(0, bytesRead), sum)
  }
}

const sizeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ size }) => size,
    () => null,
  )
