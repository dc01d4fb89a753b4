import type { PageUrl } from "#engine"
import type { Extracted } from "./extract/extracted.ts"
import { toPlainText } from "./extract/markdown/plain-text.ts"
import { isThin } from "./script-shell.ts"

/** The delay up to which readers have no time to read the page and see only its target. */
const AT_ONCE_SECONDS = 1
/** The longest delay of a notice that a page has moved. A page with a longer delay is a page in its own right. */
const SOON_SECONDS = 5
/** The maximum length of a notice that a page has moved. A longer text, such as a slide of a slide show, is a page. */
const NOTICE_CHARS = 1000

interface ReadPage {
  readonly url: PageUrl
  readonly extracted: Extracted
  /** Whether a browser rendered the page. */
  readonly rendered?: boolean
  readonly emptyBecause?: string
}

/**
 * Where a page sends its readers before they can read it, like a redirect, by `<meta http-equiv=refresh>` or a Refresh
 * header; null if it is a page in its own right. A page that has text and only reloads itself always is.
 */
export function refreshTarget({ url, extracted, rendered }: ReadPage): PageUrl | null {
  const { refresh, markdown } = extracted
  if (refresh === undefined || refresh.seconds > SOON_SECONDS) return null
  if (refresh.url === url) return markdown.trim() === "" ? url : null
  if (refresh.unscripted === true) return rendered !== true && isThin(markdown) ? refresh.url : null
  const isLeft = refresh.seconds <= AT_ONCE_SECONDS || toPlainText(markdown).length <= NOTICE_CHARS
  return isLeft ? refresh.url : null
}

/** The page with the target of its refresh among its links. If the page has no text, the target is also given as the reason for that. */
export function withRefreshLink<P extends ReadPage>(page: P): P {
  const { url, extracted } = page
  const { refresh, links, markdown } = extracted
  if (refresh === undefined) return page
  const isReload = refresh.url === url
  const what = isReload ? "reloads itself" : `leads to ${refresh.url}`
  const emptyBecause = `it has no text and ${what} after ${refresh.seconds} s`
  // Readers with scripts stay on a page that has text, so the target isn't a link for them.
  const isLink = !isReload && (refresh.unscripted !== true || isThin(markdown))
  const isNew = isLink && !links.some((link) => link.url === refresh.url)
  return {
    ...page,
    ...(markdown.trim() === "" && { emptyBecause }),
    ...(isNew && {
      extracted: { ...extracted, links: [...links, { url: refresh.url, text: "", nofollow: false }] },
    }),
  }
}
