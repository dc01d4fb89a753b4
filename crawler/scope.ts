import { getDomain } from "tldts"
import type { PageUrl } from "#engine"
import type { Source } from "./sources/source.ts"

/**
 * Which addresses belong to a crawl, seen from its start:
 * - `host`: the same host and port;
 * - `domain`: the registrable domain (public suffix list) with all its subdomains; hosts without one, such as
 *   addresses and `localhost`, match like `host`;
 * - `prefix`: the same host and port, and a path that begins with the start's folder (up to its last `/`).
 */
export type Scope = "host" | "domain" | "prefix"

export const SCOPES: readonly Scope[] = ["host", "domain", "prefix"]

/** A test for membership; http and https count as one site. */
export function scopeOf(start: PageUrl, scope: Scope): (url: PageUrl) => boolean {
  const from = new URL(start)
  const authority = authorityOf(from)
  if (scope === "domain") {
    const domain = getDomain(from.hostname, { allowPrivateDomains: true })
    if (domain !== null) {
      return (url) => {
        const host = new URL(url).hostname
        return host === domain || host.endsWith(`.${domain}`)
      }
    }
  }
  if (scope === "prefix") {
    const folder = from.pathname.slice(0, from.pathname.lastIndexOf("/") + 1)
    return (url) => {
      const to = new URL(url)
      return authorityOf(to) === authority && to.pathname.startsWith(folder)
    }
  }
  return (url) => authorityOf(new URL(url)) === authority
}

/** Host and port, with the default ports of http and https taken as one. */
function authorityOf(url: URL): string {
  return url.host
}

/**
 * A test for membership in a source: in the scope of any seed, seen from where that seed's redirects lead.
 * `landings`: those addresses by seed, as far as they are known.
 */
export function membership(
  source: Pick<Source, "seeds" | "scope">,
  landings: ReadonlyMap<string, PageUrl>,
): (url: PageUrl) => boolean {
  const scopes = source.seeds.map((seed) => scopeOf(landings.get(seed) ?? (seed as PageUrl), source.scope))
  return (url) => scopes.some((isInside) => isInside(url))
}
