const SIGNATURE = Buffer.from("d0cf11e0a1b11ae1", "hex")
const HEADER_BYTES = 512
const ENTRY_BYTES = 128
/** The number of sectors of the sector table that the header lists; for larger files, the rest are listed elsewhere. */
const LISTED_TABLES = 109
/** The directory of an Office file has tens of entries, or hundreds if the file embeds many others. */
const MAX_ENTRIES = 10_000

/** Whether bytes begin like a compound file, which Office wrote before 2007 and still writes around an encrypted file. */
export const isCompoundFile = (bytes: Buffer): boolean =>
  bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)

/**
 * The names at the root of a compound file ([MS-CFB] 2.6), without those of embedded files; null when its directory
 * is damaged.
 */
export function rootNames(bytes: Buffer): string[] | null {
  try {
    const directory = directoryOf(bytes)
    return namesBelowRoot(directory)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** @throws RangeError if a number points outside the file, or the numbers form a loop */
function directoryOf(bytes: Buffer): Buffer {
  const shift = bytes.readUInt16LE(30)
  if (shift !== 9 && shift !== 12) throw new RangeError("no size of a sector")
  const size = 2 ** shift
  // The header takes up one sector, whatever the size of the other sectors.
  const startOf = (sector: number) => Math.max(HEADER_BYTES, size) + sector * size
  const next = (sector: number) => {
    const table = Math.floor((sector * 4) / size)
    // Directories come early in a file, so tables that the header does not list are not searched.
    if (table >= LISTED_TABLES) throw new RangeError("beyond the tables in the header")
    return bytes.readUInt32LE(startOf(bytes.readUInt32LE(76 + 4 * table)) + ((sector * 4) % size))
  }
  const sectors: Buffer[] = []
  // Sector numbers above the last valid one are marks, such as the end of a chain.
  for (let sector = bytes.readUInt32LE(48); sector < 0xfffffffa; sector = next(sector)) {
    if (sectors.length * size > MAX_ENTRIES * ENTRY_BYTES) throw new RangeError("too many entries")
    const start = startOf(sector)
    if (start >= bytes.length) throw new RangeError("a sector beyond the end")
    sectors.push(bytes.subarray(start, start + size))
  }
  return Buffer.concat(sectors)
}

function namesBelowRoot(directory: Buffer): string[] {
  const names: string[] = []
  const seen = new Set<number>()
  const left = [directory.readUInt32LE(76)]
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (id * ENTRY_BYTES >= directory.length || seen.has(id)) continue
    seen.add(id)
    const at = id * ENTRY_BYTES
    const nameBytes = Math.min(64, directory.readUInt16LE(at + 64))
    names.push(directory.toString("utf16le", at, at + Math.max(0, nameBytes - 2)))
    left.push(directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72))
  }
  return names
}
