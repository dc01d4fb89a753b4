import { safeLink } from "../reading/safe-link.ts"

/** Number of words that a text fragment begins and ends with: enough to be found only once in a page. */
const WORDS = 5

/**
 * The target of a widget's link; null if it isn't a web address.
 * @param leadsHere whether the pages belong to this same site
 */
export function leadTo(url: string, leadsHere: boolean): string | null {
  const safe = safeLink(url, location.href)
  if (safe === null || !leadsHere) return safe
  const { pathname, search, hash } = new URL(safe)
  return location.origin + pathname + search + hash
}

/**
 * Like `leadTo`, but links to the place of a text on the page: browsers scroll to it and mark it (URL Fragment Text
 * Directives, section 3). If a browser doesn't find the text, it shows the page from the top.
 */
export function leadToText(url: string, pieces: readonly string[], leadsHere: boolean): string | null {
  const page = leadTo(url, leadsHere)
  if (page === null) return null
  // On a page each line, item and cell is its own element; the longest is the least likely to occur twice.
  const [longest = ""] = pieces.toSorted((one, other) => other.length - one.length)
  const directive = directiveOf(longest)
  if (directive === null) return page
  // The term or heading before the colon may be elsewhere on the page, so the text after the colon is looked for on its
  // own, too.
  const led = /^[^:]{1,120}: (.*)$/s.exec(longest)?.[1]
  const behindLead = led === undefined ? null : directiveOf(led)
  const text = [directive, ...(behindLead === null ? [] : [behindLead])].map((one) => `text=${one}`).join("&")
  return `${page}${page.includes("#") ? "" : "#"}:~:${text}`
}

/** The words that a browser looks for, as a text directive; null if there are too few. */
function directiveOf(text: string): string | null {
  const words = text.split(/\s+/).filter((word) => word !== "")
  if (words.length < 2) return null
  const encoded = (some: readonly string[]) =>
    encodeURIComponent(some.join(" ").replace(/[.…:;,]+$/, "")).replaceAll("-", "%2D")
  return words.length <= 2 * WORDS
    ? encoded(words)
    : `${encoded(words.slice(0, WORDS))},${encoded(words.slice(-WORDS))}`
}
