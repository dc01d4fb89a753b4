import { type PageUrl, routeOf, toPageUrl } from "#engine/index/page/page-url.ts"

/**
 * Matches a path of plain characters below `/`, or below the document's folder or one above it, like most links on most
 * sites. Such a path can be appended, with the same result as from the URL parser; dots are no problem, since no part
 * begins with one.
 */
const PLAIN = /^(\/|(?:\.\.?\/)*)[A-Za-z0-9_][\w.~%-]*(?:\/[A-Za-z0-9_][\w.~%-]*)*\/?$/

/** Maximum total length of all addresses of one document: 20,000 addresses of 200 characters. With a long base, a small page could otherwise become a large one. */
export const MAX_LINK_CHARS = 4_000_000

/** Resolves the addresses in one document, as `toPageUrl(href, base)` does, but fast for repeated parts. */
export class LinkResolver {
  readonly #base: string
  readonly #hasRoutes: boolean
  readonly #known = new Map<string, PageUrl | null>()
  /** Addresses of folders, indexed by how links refer to them: `""`, `/`, `../`. */
  readonly #folders = new Map<string, string | null>()
  #room = MAX_LINK_CHARS

  constructor(base: string) {
    this.#base = base
    this.#hasRoutes = routeOf(base) !== ""
  }

  /** The page that `href` links to, or null; always null for new addresses when there is no room for more. */
  resolve(href: string): PageUrl | null {
    const hash = href.indexOf("#")
    const page = hash < 0 || (this.#hasRoutes && routeOf(href) !== "") ? href : href.slice(0, hash)
    let url = this.#known.get(page)
    if (url !== undefined) return url
    if (this.#room <= 0) return null
    this.#known.set(page, (url = this.#parse(page)))
    this.#room -= url?.length ?? 0
    return url
  }

  #parse(href: string): PageUrl | null {
    const way = PLAIN.exec(href)?.[1]
    const folder = way === undefined ? null : this.#folder(way)
    return folder === null ? toPageUrl(href, this.#base) : unshared(folder + href.slice(way?.length))
  }

  #folder(way: string): string | null {
    let folder = this.#folders.get(way)
    if (folder === undefined) {
      folder = toPageUrl(`${way}x`, this.#base)?.slice(0, -1) ?? null
      this.#folders.set(way, folder)
    }
    return folder
  }
}

// V8 stores a joined string as its two parts, and the second part keeps the whole document that it was cut from in
// memory. Reading a character turns the result into a string of its own.
function unshared(url: string): PageUrl {
  return (url.charCodeAt(0) > 0 ? url : "") as PageUrl
}
