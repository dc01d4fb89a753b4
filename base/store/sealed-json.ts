import { open, readFile, rename } from "node:fs/promises"
import { crc32 } from "node:zlib"

// Small JSON files that refer to other files by name. A changed byte can turn one name into another that is just as
// valid as JSON, so each file contains a checksum of its content (CRC-32, as computed by `checksum`). Files without
// which nothing can be found are written twice: `index.json` and `index-copy.json`.

/** What is wrong with a file, worded as the rest of a sentence about that file. */
export interface FileDamage {
  readonly path: string
  readonly damage: string
}

export interface Twins<T> {
  /** The content of the file, or of its copy when the file cannot be read; null when neither exists or can be read. */
  readonly value: T | null
  /** Problems with the file and its copy; also empty if neither exists. */
  readonly damaged: readonly FileDamage[]
}

/** Replaces a file: readers see either the old file or the new one, never a partial file, and the new one survives a power failure. */
export async function writeSealed(path: string, value: object): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, "w")
  try {
    await file.writeFile(`${JSON.stringify({ ...value, checksum: checksumOf(value) }, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

/** The content of a file, or the problem with it; neither if there is no file. */
export interface Sealed<T> {
  readonly value: T | null
  readonly damage: string | null
}

/**
 * A file without a checksum is accepted: older versions, and people who edit the file, write none.
 *
 * @param isSound whether the content of the file is plausible
 */
export async function readSealed<T>(
  path: string,
  isSound: (read: Partial<T>) => boolean = () => true,
): Promise<Sealed<T>> {
  let text
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { value: null, damage: code === "ENOENT" ? null : `cannot be read (${code})` }
  }
  try {
    const { checksum, ...value } = Object(JSON.parse(text)) as { checksum?: unknown }
    const isWhole = checksum === undefined || checksum === checksumOf(value)
    if (isWhole && isSound(value)) return { value: value as T, damage: null }
  } catch {
    // A file that is not JSON is damaged as well.
  }
  return { value: null, damage: "is damaged" }
}

/** The copy is written last: if the process dies in between, one of the two is intact. */
export async function writeTwins(path: string, value: object): Promise<void> {
  await writeSealed(path, value)
  await writeSealed(copyOf(path), value)
}

export async function readTwins<T>(path: string, isSound?: (read: Partial<T>) => boolean): Promise<Twins<T>> {
  const both = [path, copyOf(path)]
  const read = await Promise.all(both.map((one) => readSealed<T>(one, isSound)))
  if (read.every(({ value, damage }) => value === null && damage === null))
    return { value: null, damaged: [] }
  return {
    value: read.find(({ value }) => value !== null)?.value ?? null,
    damaged: read.flatMap(({ value, damage }, i) =>
      value === null ? { path: both[i]!, damage: damage ?? "is missing" } : [],
    ),
  }
}

const copyOf = (path: string): string => path.replace(/\.json$/, "-copy.json")

const checksumOf = (value: object): string => crc32(JSON.stringify(value)).toString(16).padStart(8, "0")
