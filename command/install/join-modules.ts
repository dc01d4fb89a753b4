import { readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"

import { rolldown } from "rolldown"

/** Packages that consist of hundreds of small modules, each of which Node finds, reads and links whenever a process starts. */
export const JOINED: readonly string[] = ["kysely"]

const OWN_MODULE = /\bfrom\s*["']\.\//

/**
 * Joins all modules of a package into its main one, whose exports stay the same.
 *
 * @param folder of the package
 * @returns false when there was nothing to join
 */
export async function joinModules(folder: string): Promise<boolean> {
  const { main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { main: string }
  const entry = join(folder, main)
  if (!OWN_MODULE.test(readFileSync(entry, "utf8"))) return false
  // A new file replaces the old one atomically: a process may be loading it, and npm may have hard-linked it elsewhere.
  const draft = `${entry}.joined`
  try {
    await using bundle = await rolldown({ input: entry, platform: "node", logLevel: "silent" })
    await bundle.write({ file: draft, format: "esm" })
    renameSync(draft, entry)
  } finally {
    rmSync(draft, { force: true })
  }
  return true
}
