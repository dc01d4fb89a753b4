import type { Middleware } from "../context.ts"

/**
 * Clients that join a base address and a path by hand send `//search`, `/search/` or, behind a proxy that
 * keeps its prefix, `/tv/search`. All of them mean `/search`.
 *
 * @param endpoints last path segments to recognise, for example `search`
 */
export function tolerantPath(endpoints: readonly string[]): Middleware {
  const known = new Set(endpoints)
  return async (ctx, next) => {
    const path = ctx.path.replaceAll(/\/{2,}/g, "/")
    const segments = path.split("/").filter((segment) => segment !== "")
    const last = segments.at(-1)
    // Below these a last segment may have the name of an endpoint: a page, a source.
    const ownNames = segments[0] === "docs" || segments[0] === "admin"
    const prefixed = last !== undefined && known.has(last) && !ownNames
    const ofTask = segments.at(-2) === "research" && known.has("research") && !ownNames
    const meant = ofTask ? `/research/${last}` : prefixed ? `/${last}` : path
    if (meant !== ctx.path) ctx.path = meant
    await next()
  }
}
