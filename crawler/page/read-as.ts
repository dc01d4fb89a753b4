import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { CrawlerConfig } from "../config.ts"
import type { Source } from "../source.ts"

/** What turns bodies into pages, beside the libraries that the package names. */
const FOLDERS = ["extract", "formats"]
const FILES = ["read-body", "content-type", "charset", "../crawl/verdict", "page-hash"]
/** Of code: `.ts` in a clone, `.js` in the npm package. */
const EXTENSION = extname(import.meta.filename)

let code: string | null = null

function codeHash(): string {
  if (code !== null) return code
  const files = FOLDERS.flatMap((folder) => sources(join(import.meta.dirname, folder)))
  for (const name of [...FILES.map((name) => name + EXTENSION), "../../package.json"]) {
    files.push(join(import.meta.dirname, name))
  }
  const texts = files.sort().map((file) => readFileSync(file, "utf8"))
  return (code = hash("sha256", JSON.stringify(texts), "base64url"))
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => [EXTENSION, ".json"].includes(extname(name)) && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
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
