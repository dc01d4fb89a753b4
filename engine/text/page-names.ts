import { analyse } from "./analysis/analyse.ts"

/** The names of a page, as terms: a question that contains one of them means this page rather than others that mention it. */
export interface PageNames {
  readonly title: readonly string[]
  /** The names in the address's path, and their words. */
  readonly address: readonly string[]
  /** Each name that the page is known by: parts of the title (`Name - Site`), the last part of the address. */
  readonly single: readonly (readonly string[])[]
}

/** The separators in titles between the names of a page, its section and its site. */
const BETWEEN_NAMES = /\s+[|\-–—·:»]\s+|: /
/** `21.1. The configuration file`: people leave out the number. */
const NUMBERING = /^\d[\d.]*\s+/
const FILE_TYPE = /\.(?:html?|md|txt|php|aspx?|pdf)$/i
/** A folder's index page takes the folder's name. */
const FOLDER_PAGE = /^(?:index|default|readme)$/i
const JOINT = /[_-]+/g
/** Maximum length of a name; longer texts aren't names. */
const LONGEST_NAME = 40

/** @param language ISO 639-1, or null when unknown */
export function namesOf(title: string, url: string, language: string | null): PageNames {
  const path = pathOf(url)
  const last = path.findLast((part) => !FOLDER_PAGE.test(part)) ?? ""
  const names = [title, ...title.split(BETWEEN_NAMES), last, last.replaceAll(JOINT, " ")]
  const single = new Map<string, readonly string[]>()
  for (const name of names) {
    const terms = analyse(name.replace(NUMBERING, ""), language)
    if (terms.length > 0 && terms.length <= LONGEST_NAME) single.set(terms.join(" "), terms)
  }
  return {
    title: analyse(title, language),
    address: analyse(path.join(" "), language).slice(0, LONGEST_NAME),
    single: [...single.values()],
  }
}

function pathOf(url: string): string[] {
  const { pathname, hash } = new URL(url)
  // Single-page sites have their paths after #/.
  const whole = hash.startsWith("#/") || hash.startsWith("#!/") ? `${pathname}/${hash.slice(2)}` : pathname
  let path = whole
  try {
    path = decodeURIComponent(whole)
  } catch {
    // The path isn't validly encoded, so it is used as written.
  }
  return path
    .split("/")
    .map((part) => part.replace(FILE_TYPE, ""))
    .filter((part) => part !== "")
}
