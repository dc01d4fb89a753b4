/**
 * A part of an address that names a version: `3.12`, `v2`, `2.x`, `latest-v20.x`, or one of the names that documentation sites give
 * to what moves. A plain number may be anything: an id, a year, the page of a list.
 */
const VERSION =
  /^(?:(?:latest-)?v?\d{1,4}(?:\.(?:\d{1,4}|x)){1,3}(?:[-.]?(?:alpha|beta|rc|dev|next)\.?\d*)?|v\d{1,4}|latest|stable|nightly)$/i
/** Most nested folders to distinguish; addresses of one site seldom have more. */
const MOST_DEPTH = 8

/** The folders that an address lies in, from the top: of `https://a.example/docs/guide/x.html` `docs` and `guide`. */
export function foldersOf(url: string): string[] {
  const { pathname } = URL.parse(url) ?? { pathname: "/" }
  return pathname
    .split("/")
    .slice(1, -1)
    .filter((part) => part !== "")
    .slice(0, MOST_DEPTH)
    .map(decoded)
}

/** The version that an address names, in lower case; null when it names none. */
export function versionOf(url: string): string | null {
  const { pathname } = URL.parse(url) ?? { pathname: "/" }
  const version = pathname.split("/").find((part) => VERSION.test(part))
  return version?.toLowerCase() ?? null
}

/** A folder of one site, as a reference without a scheme (RFC 3986, section 4.2): `//docs.example.com/guide`. */
const OF_SITE = /^\/\/([^/]+)(.*)$/s

/** The folder of one site, by its host with the port. */
export const folderOfSite = (host: string, folder: string): string => `//${host}${folder}`

/** A folder without the site that it may be kept to. */
export const withoutSite = (folder: string): string => OF_SITE.exec(folder)?.[2] ?? folder

/**
 * Whether an address is a folder or lies in it: `/docs` holds `/docs`, `/docs/` and `/docs/a` of every site, and not `/docs-old`;
 * `//a.example/docs` holds those of one site.
 */
export function isUnder(url: string, folder: string): boolean {
  const { host, pathname } = URL.parse(url) ?? { host: "", pathname: "/" }
  const site = OF_SITE.exec(folder)?.[1]
  if (site !== undefined && site.toLowerCase() !== host) return false
  const path = partsOf(pathname)
  return partsOf(withoutSite(folder)).every((part, i) => path[i] === part)
}

/** Stands before a folder that is left out. */
const NOT = "!"

/** The folders of a list that are wanted: those that are not left out. */
export const wantedFolders = (folders: readonly string[]): readonly string[] =>
  folders.filter((folder) => !folder.startsWith(NOT))

/** Whether an address lies in one of the folders, if any is wanted, and in none that is left out: `!/docs/1.0`. */
export function isAmong(url: string, folders: readonly string[]): boolean {
  const wanted = wantedFolders(folders)
  const isOut = folders.some((folder) => folder.startsWith(NOT) && isUnder(url, folder.slice(NOT.length)))
  return !isOut && (wanted.length === 0 || wanted.some((folder) => isUnder(url, folder)))
}

const partsOf = (path: string): string[] =>
  path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded)

/** A part of a path as people read it; as it is written where it is no text. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
