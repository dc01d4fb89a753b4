import { analyse } from "./analysis/analyse.ts"

/** The names of a page, in terms: a question with one of them means this page more than others that mention it. */
export interface PageNames {
  readonly title: readonly string[]
  /** The names in the address's path, and their words. */
  readonly address: readonly string[]
  /** Each of the names it goes by alone: parts of the title (`Name - Site`), the last part of the address. */
  readonly single: readonly (readonly string[])[]
}

/** Where titles join the name of a page with those of its section and site. */
const BETWEEN_NAMES = /\s+[|\-–—·:»]\s+|: /
/** `21.1. The configuration file`: people leave out the number. */
const NUMBERING = /^\d[\d.]*\s+/
const FILE_TYPE = /\.(?:html?|md|txt|php|aspx?|pdf)$/i
/** A page that is a folder's own is called like the folder. */
const FOLDER_PAGE = /^(?:index|default|readme)$/i
const JOINT = /[_-]+/g
/** More is no name. */
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
  // Single-page sites keep theirs behind #/.
  const whole = hash.startsWith("#/") || hash.startsWith("#!/") ? `${pathname}/${hash.slice(2)}` : pathname
  let path = whole
  try {
    path = decodeURIComponent(whole)
  } catch {
    // As it is written.
  }
  return path
    .split("/")
    .map((part) => part.replace(FILE_TYPE, ""))
    .filter((part) => part !== "")
}
