import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"

/** Where a page sends its reader, and when: `<meta http-equiv=refresh>` or a Refresh header. */
export interface Refresh {
  /** The page itself when it only reloads. */
  readonly url: PageUrl
  readonly seconds: number
  /** Whether it is in a `<noscript>`: readers with scripts stay, or go where the scripts lead. */
  readonly unscripted?: true
}

/** The longest address is 2,000 characters, so a page made only of this takes no time. */
const MAX_CHARS = 4000
/** `0; url=next.html`, parsed as leniently as in browsers: any of `;`, `,` and white space in between, with or without `url=`. */
const DELAY = /^[\t\n\f\r ]*(?:(\d+)[\d.]*|\.[\d.]*)(?:$|[\t\n\f\r ]*(?:[;,]|(?<=[\t\n\f\r ]))[\t\n\f\r ]*)/
const NAMED = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i

/**
 * Reads a Refresh header or the `content` of such a meta tag, by the steps of the HTML standard (§4.2.5.3, shared
 * declarative refresh); null where browsers stay.
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
