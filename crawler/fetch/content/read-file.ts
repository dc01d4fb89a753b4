import { constants } from "node:fs"
import type { FileHandle } from "node:fs/promises"

/** How files that may be replaced at any time are opened: without waiting for a writer where a pipe took the place of the file. */
export const OPEN_NOW = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
/** The same, without following a link. */
export const OPEN_UNLINKED = OPEN_NOW | (constants.O_NOFOLLOW ?? 0)

/**
 * Fills `into` with the bytes of a file from `position` on: one read may give fewer than were asked for.
 * @returns how many bytes there were; fewer than `into` holds when the file ends before
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
