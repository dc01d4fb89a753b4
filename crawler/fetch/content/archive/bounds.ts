import { ArchiveError } from "./archive.ts"

/** Maximum number of entries whose positions are kept in memory, at 250 bytes each: 60 MB. */
export const MAX_ENTRIES = 250_000
/** Maximum number of bytes unpacked into a file beside the index; this takes about ten seconds. */
export const MAX_UNPACKED_BYTES = 2 * 1024 ** 3
/**
 * Maximum compression ratio of archives that unpack to more than `SMALL_BYTES`; smaller ones can be as repetitive as
 * they like. DEFLATE reaches at most 1032 to 1, and text reaches 20 to 1.
 */
const MAX_RATIO = 300
const SMALL_BYTES = 64 * 1024 * 1024
/** Maximum characters in a path. */
export const MAX_NAME_CHARS = 2000

/** @throws ArchiveError when the compression ratio is that of a bomb */
export function checkRatio(packed: number, unpacked: number): void {
  if (unpacked > SMALL_BYTES && unpacked > packed * MAX_RATIO)
    throw new ArchiveError(`${packed} bytes unpack to ${unpacked}, far more than documents would`)
}

/** @throws ArchiveError when there are too many entries */
export function checkEntries(count: number): void {
  if (count > MAX_ENTRIES) throw new ArchiveError(`it contains more than ${MAX_ENTRIES} files; split it`)
}
