import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"

/** Where a page sends its reader, and after how long: `<meta http-equiv=refresh>` or a Refresh header. */
export interface Refresh {
  /** The target's address; the page's own if it only reloads. */
  readonly url: PageUrl
  readonly seconds: number
  /** Whether the refresh is in a `<noscript>`: readers with scripts stay on the page, or go where the scripts send them. */
  readonly unscripted?: true
}

/** The number of characters that are parsed. An address has at most 2,000 characters, and a value that contains only an address is still quick to parse. */
const MAX_CHARS = 4000
/** `0; url=next.html`, parsed as leniently as in browsers: any of `;`, `,` and white space in between, with or without `url=`. */
const DELAY = /^[\t\n\f\r ]*(?:(\d+)[\d.]*|\.[\d.]*)(?:$|[\t\n\f\r ]*(?:[;,]|(?<=[\t\n\f\r ]))[\t\n\f\r ]*)/
const NAMED = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i

/**
 * Reads a Refresh header or the `content` of such a meta tag, following the steps of the HTML standard (§4.2.5.3,
 * shared declarative refresh); null if browsers would stay on the page.
 * @param base the base of a relative address
 * @param page the target when there is no address
 */
export function readRefresh(content: string, base: string, page: string): Refresh | null {
  const text = content.slice(0, MAX_CHARS)
  const delay = DELAY.exec(text)
  if (delay === null) return null
  const seconds = Number(delay[1] ?? 0)
  const named = text.slice(delay[0].length).replace(NAMED, "")
  const [quote] = named
  const isQuoted = quote === '"' || quote === "'"
  const end = isQuoted ? named.indexOf(quote, 1) : -1
  const address = (isQuoted ? named.slice(1, end < 0 ? undefined : end) : named).trim()
  const url = address === "" ? toPageUrl(page) : toPageUrl(address, base)
  return url === null ? null : { url, seconds }
}
