import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { CrawlerConfig } from "./config.ts"
import type { Source } from "./sources/source.ts"

/** What turns bodies into pages: the code below these folders, and the libraries the package names. */
const FOLDERS = ["extract", "formats"]

let code: string | null = null

function codeHash(): string {
  if (code !== null) return code
  const files = FOLDERS.flatMap((folder) => sources(join(import.meta.dirname, folder)))
  const texts = [...files.sort(), join(import.meta.dirname, "../package.json")].map((file) =>
    readFileSync(file, "utf8"),
  )
  return (code = hash("sha256", JSON.stringify(texts), "base64url"))
}

function sources(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

/**
 * A short text that differs when the same bytes would make another page: by code, by what the source lays down for
 * its pages, or by who is asking. Only under the same text may a site's "not modified" stand for a reading.
 */
export function readAs(source: Source, config: CrawlerConfig): string {
  const { name, pages, rendering, login } = source
  const robots = source.politeness.robots ?? config.robots
  const parts = [codeHash(), name, pages, rendering, login, robots, config.userAgent, config.maxBytes]
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22)
}
