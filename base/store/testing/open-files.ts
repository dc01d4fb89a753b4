import { existsSync, readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"

const OPEN = "/proc/self/fd"

/** Files below a folder that this process has open; empty if the system does not provide a list. */
export function openFiles(folder: string): string[] {
  if (!existsSync(OPEN)) return []
  return readdirSync(OPEN)
    .map((fd) => {
      try {
        return readlinkSync(join(OPEN, fd))
      } catch {
        // This is the descriptor of the listing itself.
        return ""
      }
    })
    .filter((file) => file.startsWith(folder))
}
