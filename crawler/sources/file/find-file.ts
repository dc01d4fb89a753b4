import { existsSync } from "node:fs"

const DEFAULT_FILE = "sources.yaml"

/**
 * The sources file to use: the named one (`FOSSICK_SOURCES_FILE`), otherwise `sources.yaml` in the working directory if
 * it exists.
 */
export function sourcesFile(named: string): string | null {
  if (named !== "") return named
  return existsSync(DEFAULT_FILE) ? DEFAULT_FILE : null
}
