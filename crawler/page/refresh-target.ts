import type { PageUrl } from "#engine"
import type { Extracted } from "./extract/extracted.ts"
import { toPlainText } from "./extract/markdown/plain-text.ts"
import { isThin } from "./script-shell.ts"

/** Sooner than anybody reads: whatever the page says, its readers see the other one. */
const AT_ONCE_SECONDS = 1
/** Pages that have moved say so for this long. What waits longer is read where it is. */
const SOON_SECONDS = 5
/** A notice that a page has moved is shorter; what says more, such as one of a row of pictures with texts, is a page. */
const NOTICE_CHARS = 1000

interface ReadPage {
  readonly url: PageUrl
  readonly extracted: Extracted
  /** Whether a browser made the page. */
  readonly rendered?: boolean
  readonly emptyBecause?: string
}

/**
 * Where a page leads its readers before they have read it, as a redirect does, by `<meta http-equiv=refresh>` or a Refresh
 * header; null: it is a page of its own. A page with text that only reloads itself always is.
 */
export function refreshTarget({ url, extracted, rendered }: ReadPage): PageUrl | null {
  const { refresh, markdown } = extracted
  if (refresh === undefined || refresh.seconds > SOON_SECONDS) return null
  if (refresh.url === url) return markdown.trim() === "" ? url : null
  if (refresh.unscripted === true) return rendered !== true && isThin(markdown) ? refresh.url : null
  const isNotice = () => toPlainText(markdown).length <= NOTICE_CHARS
  return refresh.seconds <= AT_ONCE_SECONDS || isNotice() ? refresh.url : null
}

/** The page with where it leads among its links, and, when it has no text, in words. */
export function withRefreshLink<P extends ReadPage>(page: P): P {
  const { url, extracted } = page
  const { refresh, links, markdown } = extracted
  if (refresh === undefined) return page
  const reload = refresh.url === url
  const what = reload ? "reloads itself" : `leads to ${refresh.url}`
  const emptyBecause = `it has no text and ${what} after ${refresh.seconds} s`
  // With scripts and text nobody goes where those without are sent.
  const isLink = !reload && (refresh.unscripted !== true || isThin(markdown))
  const isNew = isLink && !links.some((link) => link.url === refresh.url)
  return {
    ...page,
    ...(markdown.trim() === "" && { emptyBecause }),
    ...(isNew && {
      extracted: { ...extracted, links: [...links, { url: refresh.url, text: "", nofollow: false }] },
    }),
  }
}
