import { existsSync } from "node:fs"

const DEFAULT_FILE = "sources.yaml"

/**
 * The sources file there is: the one that was named (`FOSSICK_SOURCES_FILE`), else `sources.yaml` in the working
 * directory if there is one.
 */
export function sourcesFile(named: string): string | null {
  if (named !== "") return named
  return existsSync(DEFAULT_FILE) ? DEFAULT_FILE : null
}
