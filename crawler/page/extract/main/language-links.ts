import { isLink } from "../html/anchors.ts"
import { collapse, type Element, textOf, walk } from "../html/tree.ts"
import type { TextMeasure } from "./text-measure.ts"

/** Maximum length of a language switcher; in a text about languages, the links are inside sentences. */
const MAX_CHARS = 2500
const FEWEST_LINKS = 2
/** The maximum number of elements checked in one box: a hundred languages with their flags. */
const MOST_ELEMENTS = 1000
/** The share of the links that must name a language; others may be "more…" or a flag without a name. */
const LANGUAGE_SHARE = 0.8
/** The maximum length of the text that remains without the links, such as "Available languages:", the page's language or separators. */
const MAX_OTHER_CHARS = 60
/** The maximum share of a page's text that a switcher can make up: a page with little other text is itself a list of translations. */
const MAX_SHARE = 0.4

/** Leaves out the links to the page in other languages. */
export function skipLanguageLinks(
  root: Element,
  skipped: Set<Element>,
  measures: ReadonlyMap<Element, TextMeasure>,
): void {
  skipSwitchers(root, skipped, measures, Math.min(MAX_CHARS, (measures.get(root)?.chars ?? 0) * MAX_SHARE))
}

function skipSwitchers(
  parent: Element,
  skipped: Set<Element>,
  measures: ReadonlyMap<Element, TextMeasure>,
  mostChars: number,
): void {
  for (const child of parent.children) {
    if (typeof child === "string" || skipped.has(child)) continue
    const own = measures.get(child)
    if (!own) continue
    if (
      own.linkChars > 0 &&
      own.chars <= mostChars &&
      own.chars - own.linkChars <= MAX_OTHER_CHARS &&
      isSwitcher(child)
    )
      skipped.add(child)
    else skipSwitchers(child, skipped, measures, mostChars)
  }
}

function isSwitcher(element: Element): boolean {
  let links = 0
  let languages = 0
  let marked = 0
  let left = MOST_ELEMENTS
  walk(element, (below) => {
    if (left-- <= 0) return false
    if (!isLink(below)) return undefined
    links++
    if (below.has("hreflang")) {
      marked++
      languages++
    } else if (isLanguageName(below)) languages++
    return false
  })
  if (links < FEWEST_LINKS || languages < links * LANGUAGE_SHARE) return false
  // Two short words could be two letters of an alphabetical index. Three such words, or a link that declares its
  // language, are taken to be languages.
  return marked > 0 || links > FEWEST_LINKS
}

/** Whether a link's text is the name of a language: `en`, `pt-BR`, `Deutsch`, `Français (fr)`. */
function isLanguageName(link: Element): boolean {
  const text = collapse(textOf(link, 60)).toLowerCase()
  if (/^[a-z]{2}(?:[-_][a-z]{2,4})?$/.test(text)) return LANGUAGE_CODES.has(text.slice(0, 2))
  return LANGUAGE_NAMES.has(text.replace(/\s*\([^()]*\)$/u, ""))
}

const CODES = (
  "ar be bg bn bs ca cs cy da de el en en-GB eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko lt lv mk ml " +
  "mn ms nb nl nn no pl pt pt-BR ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh zh-Hans zh-Hant zh-CN zh-TW"
).split(" ")

/** Codes that name languages on buttons and bars. */
const LANGUAGE_CODES: ReadonlySet<string> = new Set(CODES.map((code) => code.slice(0, 2)))

function names(): ReadonlySet<string> {
  const found = new Set<string>()
  const english = new Intl.DisplayNames("en", { type: "language" })
  for (const code of CODES) {
    const own = new Intl.DisplayNames(code, { type: "language" })
    for (const name of [own.of(code), english.of(code)]) {
      if (name === undefined || name === code) continue
      found.add(name.toLowerCase())
      // "português (Brasil)" is also written without its country.
      found.add(name.toLowerCase().replace(/\s*[(（].*$/u, ""))
    }
  }
  return found
}

/** Language names in their own language and in English, in lower case, from Unicode's data. */
const LANGUAGE_NAMES: ReadonlySet<string> = names()
