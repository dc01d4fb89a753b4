/**
 * A part of an address that names a version: `3.12`, `v2`, `2.x`, `latest-v20.x`, or one of the names that
 * documentation sites use for moving versions. A plain number could be anything: an id, a year, the page of a list.
 */
const VERSION =
  /^(?:(?:latest-)?v?\d{1,4}(?:\.(?:\d{1,4}|x)){1,3}(?:[-.]?(?:alpha|beta|rc|dev|next)\.?\d*)?|v\d{1,4}|latest|stable|nightly)$/i
/** Maximum number of nested folders to distinguish; addresses of one site seldom have more. */
const MOST_DEPTH = 8

/** The folders of an address, from the top: `docs` and `guide` for `https://a.example/docs/guide/x.html`. */
export function foldersOf(url: string): string[] {
  const { pathname } = URL.parse(url) ?? { pathname: "/" }
  return pathname
    .split("/")
    .slice(1, -1)
    .filter((part) => part !== "")
    .slice(0, MOST_DEPTH)
    .map(decoded)
}

/** The version that an address names, in lower case; `null` if it names none. */
export function versionOf(url: string): string | null {
  const { pathname } = URL.parse(url) ?? { pathname: "/" }
  const version = pathname.split("/").find((part) => VERSION.test(part))
  return version?.toLowerCase() ?? null
}

/** A folder of one site, as a reference without a scheme (RFC 3986, section 4.2): `//docs.example.com/guide`. */
const OF_SITE = /^\/\/([^/]+)(.*)$/s

/** A folder restricted to one site, written with the site's host and port. */
export const folderOfSite = (host: string, folder: string): string => `//${host}${folder}`

/** A folder without the site it may be restricted to. */
export const withoutSite = (folder: string): string => OF_SITE.exec(folder)?.[2] ?? folder

/**
 * Whether an address is a folder or is inside it: `/docs` contains `/docs`, `/docs/` and `/docs/a` of every site, but
 * not `/docs-old`; `//a.example/docs` contains only those of one site.
 */
export function isUnder(url: string, folder: string): boolean {
  const { host, pathname } = URL.parse(url) ?? { host: "", pathname: "/" }
  const site = OF_SITE.exec(folder)?.[1]
  if (site !== undefined && site.toLowerCase() !== host) return false
  const path = partsOf(pathname)
  return partsOf(withoutSite(folder)).every((part, i) => path[i] === part)
}

/** Prefix of an excluded folder. */
const NOT = "!"

/** The folders of a list that aren't excluded. */
export const wantedFolders = (folders: readonly string[]): readonly string[] =>
  folders.filter((folder) => !folder.startsWith(NOT))

/** Whether an address is inside one of the included folders, if there are any, and not inside an excluded one: `!/docs/1.0`. */
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

/** A part of a path, decoded for people; unchanged if it can't be decoded. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
