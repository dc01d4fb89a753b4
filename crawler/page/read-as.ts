import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { Source } from "../source.ts"

/** The extension of code files: `.ts` in a clone, `.js` in the npm package. */
const EXTENSION = extname(import.meta.filename)
/** Lists the libraries with their versions. */
const PACKAGE = join(import.meta.dirname, "../../package.json")

let ownHash: string | null = null

/** The settings that decide how an answer is read, and who requests it. */
export interface ReadingSettings {
  readonly robots: boolean
  readonly userAgent: string
  readonly maxBytes: number
}

/**
 * A short string that differs when the same bytes would make a different page: because of the code, the source's
 * settings for its pages, or the login and user agent of the request. A site's "not modified" may only replace a
 * reading made under the same text.
 */
export function readAs(source: Source, settings: ReadingSettings): string {
  ownHash ??= codeHash(import.meta.dirname, PACKAGE)
  const { name, pages, rendering, login, ignoreNoindex } = source
  const robots = source.politeness.robots ?? settings.robots
  // A page that may no longer be indexed has to be sent again, because "not modified" does not repeat its meta tags.
  const asked = ignoreNoindex ? ["ignoreNoindex"] : []
  // Adding or removing observers changes a page's readers, so the page has to be sent again.
  const observed = (source.observers ?? []).length > 0 ? ["observed"] : []
  const parts = [
    ownHash,
    name,
    pages,
    rendering,
    login,
    robots,
    ...asked,
    ...observed,
    settings.userAgent,
    settings.maxBytes,
  ]
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22)
}

/**
 * The hash of all code in a folder, without tests, and of the files beside it. This folder holds all code that turns
 * the bytes and headers of an answer into a page, so there is no list to maintain.
 */
export function codeHash(folder: string, ...others: readonly string[]): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => [EXTENSION, ".json"].includes(extname(name)) && !name.endsWith(`.test${EXTENSION}`))
    .map((name) => join(folder, name))
  const texts = [...files.sort(), ...others].map((file) => readFileSync(file, "utf8"))
  return hash("sha256", JSON.stringify(texts), "base64url")
}
