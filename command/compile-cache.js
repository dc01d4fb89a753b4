import { accessSync, constants, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Keeps what Node compiles beside the packages that npm installed, so that this command and all processes that it starts begin in half the time
 * from the second time on. Not in packages of another user: what root wrote there npm could not delete, and they may be read-only.
 *
 * @param {NodeJS.ProcessEnv} env of this process and of those that it starts; one that names a folder, or none, has the last word
 */
export async function keepCompiled(env) {
  if (env.NODE_COMPILE_CACHE !== undefined || env.NODE_DISABLE_COMPILE_CACHE !== undefined) return
  const packages = fileURLToPath(new URL("../node_modules", import.meta.url))
  try {
    if (statSync(packages).uid !== process.getuid?.()) return
    accessSync(packages, constants.W_OK)
  } catch {
    return
  }
  const { enableCompileCache } = await import("node:module")
  const folder = join(packages, ".cache/compiled")
  enableCompileCache(folder)
  env.NODE_COMPILE_CACHE = folder
}
