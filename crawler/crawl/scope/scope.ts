import { getDomain } from "tldts"
import type { PageUrl } from "#engine"
import { addressPatterns } from "./globs.ts"
import { type ContentField, contentFieldsOf, type Scope, type Source } from "../../source.ts"

/** Returns a test for whether an address is in the scope of a start. http and https count as one site. */
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

/** Host and port; the default ports of http and https count as one. */
function authorityOf(url: URL): string {
  return url.host
}

/**
 * Returns a test for whether an address belongs to a source: it must be in the scope of any seed, counted from the
 * target of that seed's redirects, and be allowed by the source's `include` and `exclude`. Seeds and their targets are
 * exempt only from `include`, because addresses that an operator names belong to the source. `landings`: the target of
 * each seed, where it is known. If the source has content, such as a folder, patterns that begin with `/` are relative
 * to its first seed.
 * @throws PatternError
 */
export function membership(
  source: Pick<Source, "seeds" | "scope" | "include" | "exclude"> & Partial<Pick<Source, ContentField>>,
  landings: ReadonlyMap<string, PageUrl>,
): (url: PageUrl) => boolean {
  const starts = source.seeds.map((seed) => landings.get(seed) ?? (seed as PageUrl))
  const scopes = starts.map((start) => scopeOf(start, source.scope))
  const named = new Set<string>([...source.seeds, ...starts])
  const [start] = source.seeds
  const isContent = contentFieldsOf(source).length > 0
  const within = (pattern: string) =>
    isContent && start !== undefined && pattern.startsWith("/") ? start + pattern.slice(1) : pattern
  const isIncluded =
    source.include.length === 0 ? () => true : addressPatterns("include", source.include.map(within))
  const isExcluded = addressPatterns("exclude", source.exclude.map(within))
  return (url) =>
    scopes.some((isInside) => isInside(url)) && (named.has(url) || isIncluded(url)) && !isExcluded(url)
}
