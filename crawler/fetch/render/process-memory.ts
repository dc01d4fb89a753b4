import { readFile } from "node:fs/promises"

/**
 * Bytes of memory that belong to one process alone (anonymous memory, without the program and its libraries, which all
 * processes of a browser share). Null when the process no longer exists, or the system has no /proc.
 */
export async function memoryOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}
