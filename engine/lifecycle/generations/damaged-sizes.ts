import { existsSync } from "node:fs"
import path from "node:path"
import { GenerationFile } from "./generation-file.ts"
import { damagedFiles } from "../../adapters/embedded/files/file-sums.ts"
import { manifestTwins } from "../../adapters/embedded/files/manifest.ts"
import { PAGES_DB } from "../../adapters/embedded/files/page-store.ts"

/** The folder of the embedded index in use. */
export async function indexFolder(dataDir: string): Promise<string> {
  return path.join(dataDir, (await new GenerationFile(dataDir, "embedded").read()).current)
}

/**
 * Whether a file of the index in use is missing or has the wrong size. The check takes milliseconds and loads nothing
 * that takes memory: it is meant for a process that only needs to know whether another process should check more
 * thoroughly.
 */
export async function hasDamagedFiles(dataDir: string): Promise<boolean> {
  if ((await new GenerationFile(dataDir, "embedded").damage()).length > 0) return true
  const dir = await indexFolder(dataDir)
  const { value, damaged } = await manifestTwins(dir)
  if (damaged.length > 0) return true
  if (!value) return false
  if (!existsSync(path.join(dir, PAGES_DB))) return true
  const files = await Promise.all(["pages", value.vectors].map((table) => damagedFiles(dir, table, false)))
  return files.flat().length > 0
}
