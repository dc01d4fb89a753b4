import type { Middleware } from "../../context.ts"

/** First segments of paths whose last segment may happen to be the name of an endpoint: a page, a source, an address, the subject of metadata. */
const OWN_ROOTS = new Set(["docs", "admin", "read", ".well-known"])

/** Paths of other search and reading APIs, whose clients append an endpoint's name. */
const OTHER_APIS = new Set(["searxng", "firecrawl", "openai", "openwebui", "jina"])

/** First segments of paths that stay unchanged after the appliance's own prefix is removed. */
const isRoot = (segment = ""): boolean => segment === "read" || !mayBePrefix(segment)

/**
 * Clients that join a base address and a path by hand send `//search`, `/search/` or, behind a proxy that keeps its
 * prefix, `/tv/search`. All of them mean `/search`. Tavily's paths have no version, so `/v2/search` is another API's
 * path, not a prefix. The same holds for `/searxng/search`, and for a path that contains an address (a segment with
 * `:`).
 *
 * @param endpoints last path segments to recognise, for example `search`
 * @param publicPath path of the appliance's own address, such as `/tools/v2`: always a prefix
 */
export function tolerantPath(endpoints: readonly string[], publicPath = ""): Middleware {
  const known = new Set(endpoints)
  const own = segmentsOf(publicPath)
  return async (ctx, next) => {
    const path = ctx.path.replaceAll(/\/{2,}/g, "/")
    const all = segmentsOf(path)
    const isOwn = own.length > 0 && own.every((segment, at) => all[at] === segment)
    const segments = isOwn ? all.slice(own.length) : all
    const meant = OWN_ROOTS.has(segments[0] ?? "") ? null : endpointOf(segments, known)
    // The address after /read/ is left as it was sent.
    const to = meant ?? (isOwn && isRoot(segments[0]) ? `/${segments.join("/")}` : path)
    if (to !== ctx.path) ctx.path = to
    await next()
  }
}

function endpointOf(segments: readonly string[], known: ReadonlySet<string>): string | null {
  const length = segments.at(-2) === "research" && known.has("research") ? 2 : 1
  const meant = segments.slice(-length)
  const isPrefix = segments.slice(0, -length).every(mayBePrefix)
  return known.has(meant[0] ?? "") && isPrefix ? `/${meant.join("/")}` : null
}

/** Whether a segment may precede the path of an endpoint without being part of another API's path. */
export const mayBePrefix = (segment: string): boolean =>
  !/^v\d/i.test(segment) && !segment.includes(":") && !OTHER_APIS.has(segment.toLowerCase())

const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "")
