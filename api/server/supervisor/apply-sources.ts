import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

import { sourcesFile } from "#crawler/sources/file/find-file.ts"
import { moduleBeside } from "#base/process/module-beside.ts"

const PROGRAM = fileURLToPath(moduleBeside(import.meta.url, "../../../crawler/commands/sources/apply-worker"))

/**
 * Applies the sources file, if there is one, as `fossick sources apply` does. This uses a separate process, so that its
 * memory is freed: reading the file needs more than the supervisor itself.
 *
 * @param named the value of `FOSSICK_SOURCES_FILE`; empty: not set
 * @returns the problem with the file, or null
 */
export function applySources(named: string, env: NodeJS.ProcessEnv): string | null {
  const file = sourcesFile(named)
  if (file === null) return null
  const { status, stderr, error } = spawnSync(process.execPath, [PROGRAM, file], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  })
  if (status === 0) return null
  return `Fossick cannot start because the sources file is not valid:\n${error?.message ?? stderr}`.trimEnd()
}
