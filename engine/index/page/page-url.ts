import { createHash } from "node:crypto"

declare const pageUrl: unique symbol

/** The address of a page in its canonical spelling: the key of a page everywhere in Fossick. */
export type PageUrl = string & { readonly [pageUrl]: true }

/**
 * The canonical spelling of an http(s) address, or null if `text` isn't one.
 *
 * Lower-cases scheme and host, drops the default port, the fragment, credentials and an empty query (RFC 3986 §6.2 and
 * the WHATWG URL parser). It changes nothing that could name another page: paths, trailing slashes, parameter order and
 * `www.` stay as written. A fragment that is a route (`#/guide`, `#!/guide`) stays, because it names a page on sites
 * whose scripts use it; it is dropped if there is a `base` without a route, since most sites use it for other purposes.
 */
export function toPageUrl(text: string, base?: string): PageUrl | null {
  const url = URL.parse(text, base)
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") return null
  // Each assignment parses the address again, so parts are only removed if they exist, which is rare; an empty query or
  // fragment is only visible in `href`.
  if (url.href.includes("#") && (!isRoute(url.hash) || (base !== undefined && routeOf(base) === "")))
    url.hash = ""
  if (url.username !== "" || url.password !== "") {
    url.username = ""
    url.password = ""
  }
  if (url.search === "" && url.href.endsWith("?")) url.search = ""
  return url.href as PageUrl
}

const isRoute = (hash: string): boolean => /^#!?\//.test(hash)

/** The route in an address's fragment, with its `#`: `#/guide`; empty if there is none. */
export function routeOf(url: string): string {
  const start = url.indexOf("#")
  const hash = start < 0 ? "" : url.slice(start)
  return isRoute(hash) ? hash : ""
}

/** A fixed-width, filter-safe key of a page: 128 bits of SHA-256 over its address, base64url (22 characters). */
export function pageId(url: PageUrl): string {
  return createHash("sha256").update(url).digest().subarray(0, 16).toString("base64url")
}
