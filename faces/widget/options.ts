/** A part of the site that readers can restrict the search to. */
export interface Version {
  readonly label: string
  /** Folders in the form that the API accepts, without other versions inside them; empty for the whole site. */
  readonly paths: readonly string[]
  /** The version's folder; empty for the whole site. */
  readonly folder: string
}

/** The attributes of the script. */
export interface Options {
  /** Address of the appliance. */
  readonly appliance: URL
  readonly key: string
  /** Selects the element that opens the widget on the page; null for the widget's own button; empty for keys only. */
  readonly button: string | null
  /** The name of the searched collection, as shown to people. */
  readonly label: string
  /** At least one version; if there is only one, no choice is shown. */
  readonly versions: readonly Version[]
  readonly hasAnswers: boolean
  /** Whether results link to this same site, whatever address the crawl read them at. */
  readonly leadsHere: boolean
  /** The colour scheme; null to follow the page. */
  readonly scheme: "light" | "dark" | "system" | null
}

const ALL = "All versions"

/**
 * Reads the script's own element.
 * @throws Error for an invalid value, naming the attribute
 */
export function readOptions(src: string, given: Readonly<Record<string, string | undefined>>): Options {
  const {
    key = "",
    url,
    button = null,
    label = "Search",
    path,
    versions,
    answers,
    links,
    theme = "auto",
  } = given
  if (key === "") throw new Error("data-key is missing")
  if (links !== undefined && links !== "here") throw new Error('data-links must be "here"')
  if (!["auto", "light", "dark", "system"].includes(theme)) {
    throw new Error("data-theme must be auto, light, dark or system")
  }
  if (path !== undefined && versions !== undefined)
    throw new Error("data-path and data-versions cannot be used together")
  return {
    appliance: new URL(url ?? (/\/faces\/[^/]+$/.test(new URL(src).pathname) ? ".." : "."), src),
    key,
    button: button === "none" ? "" : button,
    label,
    versions: versions === undefined ? [only(wordsOf(path ?? ""))] : versionsOf(versions),
    hasAnswers: answers !== undefined && answers !== "false",
    leadsHere: links === "here",
    scheme: theme === "auto" ? null : (theme as "light" | "dark" | "system"),
  }
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "")
const only = (paths: readonly string[]): Version => ({ label: ALL, paths, folder: "" })

/** `3.0=/docs/ 2.0=/docs/2.0/`, with blanks in labels written as `_`. */
function versionsOf(text: string): Version[] {
  const listed = wordsOf(text).map((entry) => {
    const at = entry.lastIndexOf("=")
    if (at < 1 || !entry.slice(at + 1).startsWith("/")) {
      throw new Error(`data-versions must be a list such as 3.0=/docs/ 2.0=/docs/2.0/, not ${entry}`)
    }
    return { label: entry.slice(0, at).replaceAll("_", " "), folder: folderOf(entry.slice(at + 1)) }
  })
  const inside = (folder: string) =>
    listed.filter((other) => other.folder !== folder && other.folder.startsWith(folder))
  return [
    ...listed.map(({ label, folder }) => ({
      label,
      folder,
      paths: [folder, ...inside(folder).map((other) => `!${other.folder}`)],
    })),
    only([]),
  ]
}

const folderOf = (path: string): string => (path.endsWith("/") ? path : `${path}/`)

/** The version that a page belongs to: that of the innermost folder around it, or else the first. */
export function versionAt(versions: readonly Version[], pathname: string): number {
  const page = folderOf(pathname)
  const around = versions
    .map(({ folder }, index) => ({ folder, index }))
    .filter(({ folder }) => folder !== "" && page.startsWith(folder))
    .sort((one, other) => other.folder.length - one.folder.length)
  return around[0]?.index ?? 0
}

/** Whether an address belongs to a version, by the same rule as in the API. Used for suggestions, which the API doesn't narrow. */
export function isIn({ paths }: Version, url: string): boolean {
  const page = folderOf(URL.parse(url)?.pathname ?? "/")
  const under = (folder: string) => page.startsWith(folderOf(folder))
  const wanted = paths.filter((path) => !path.startsWith("!"))
  return (
    (wanted.length === 0 || wanted.some(under)) &&
    !paths.some((path) => path.startsWith("!") && under(path.slice(1)))
  )
}
