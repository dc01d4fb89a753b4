import { constants } from "node:fs"
import type { FileHandle } from "node:fs/promises"

/** Flags for opening files that may be replaced at any time: if a file has become a pipe, opening it does not wait for a writer. */
export const OPEN_NOW = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
/** The same flags, but links are not followed. */
export const OPEN_UNLINKED = OPEN_NOW | (constants.O_NOFOLLOW ?? 0)

/**
 * Fills `into` with the bytes of a file from `position` on. Needed because one read can return fewer bytes than
 * requested.
 * @returns how many bytes there were; less than the length of `into` if the file ends early
 */
export async function fill(file: FileHandle, into: Uint8Array, position: number): Promise<number> {
  let filled = 0
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
