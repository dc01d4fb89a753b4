import { safeLink } from "../reading/safe-link.ts"

/** Words that a text fragment begins and ends with: enough to be found once in a page. */
const WORDS = 5

/**
 * Where a link of the widget leads; null when that is no web address.
 * @param leadsHere whether pages are those of this very site
 */
export function leadTo(url: string, leadsHere: boolean): string | null {
  const safe = safeLink(url, location.href)
  if (safe === null || !leadsHere) return safe
  const { pathname, search, hash } = new URL(safe)
  return location.origin + pathname + search + hash
}

/**
 * The same, to where a page says something: browsers scroll there, and mark it (URL Fragment Text Directives, section 3). One
 * that does not find it shows the page from its beginning.
 */
export function leadToText(url: string, text: string, leadsHere: boolean): string | null {
  const page = leadTo(url, leadsHere)
  if (page === null) return null
  const words = text.split(/\s+/).filter((word) => word !== "")
  if (words.length < 2) return page
  const encoded = (some: readonly string[]) =>
    encodeURIComponent(some.join(" ").replace(/[.…:;,]+$/, "")).replaceAll("-", "%2D")
  const directive =
    words.length <= 2 * WORDS
      ? encoded(words)
      : `${encoded(words.slice(0, WORDS))},${encoded(words.slice(-WORDS))}`
  return `${page}${page.includes("#") ? "" : "#"}:~:text=${directive}`
}
