import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { Source } from "../source.ts"

/** The extension of code files: `.ts` in a clone, `.js` in the npm package. */
const EXTENSION = extname(import.meta.filename)
/** The file that lists the libraries with their versions. */
const PACKAGE = join(import.meta.dirname, "../../package.json")

let ownHash: string | null = null

/** The settings that decide how a response is read, and who requests it. */
export interface ReadingSettings {
  readonly robots: boolean
  readonly userAgent: string
  readonly maxBytes: number
}

/**
 * A short string that differs if the same bytes would produce a different page: because of the code, the source's
 * settings for its pages, or the login and user agent of the request. A site's "not modified" response is accepted only
 * for a reading made with the same string.
 */
export function readAs(source: Source, settings: ReadingSettings): string {
  ownHash ??= codeHash(import.meta.dirname, PACKAGE)
  const { name, pages, rendering, login, ignoreNoindex } = source
  const robots = source.politeness.robots ?? settings.robots
  // If the source starts or stops ignoring noindex, its pages have to be requested again in full, because a "not
  // modified" response does not repeat their meta tags.
  const asked = ignoreNoindex ? ["ignoreNoindex"] : []
  // Adding or removing observers changes a page's readers, so the page has to be requested again in full.
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
 * The hash of all code in a folder, without tests, and of the files beside it. This folder contains all code that turns
 * the bytes and headers of a response into a page, so no list has to be maintained.
 */
export function codeHash(folder: string, ...others: readonly string[]): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => [EXTENSION, ".json"].includes(extname(name)) && !name.endsWith(`.test${EXTENSION}`))
    .map((name) => join(folder, name))
  const texts = [...files.sort(), ...others].map((file) => readFileSync(file, "utf8"))
  return hash("sha256", JSON.stringify(texts), "base64url")
}
