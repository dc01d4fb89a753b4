import { unlessAborted } from "#base/flow/unless-aborted.ts"
import type { ReadResult, WalkedPage, WalkOptions } from "#crawler"
import { toPageUrl } from "#engine"

import type { Reach } from "../accounts/reach/reach.ts"
import { ApiError, badRequest } from "../errors.ts"
import { liveUrl } from "../core/read/live-url.ts"
import { categoryPaths } from "./categories.ts"
import type { MapRequest } from "./schema.ts"

/**
 * Walks the site that a crawl or map asks for, until `signal` aborts; what was found by then is the answer.
 * With `discoverOnly` the last level and external addresses are named without being read.
 *
 * @param onPage called with each page as it comes
 * @param reach no page outside it is read or named
 * @throws ApiError 400 for an address or pattern that is none, 403 for a start that may not be read
 */
export async function walkFor(
  request: MapRequest,
  reach: Pick<Reach, "addresses" | "reader">,
  options: Pick<WalkOptions, "judge" | "rendering" | "sitemap"> & {
    readonly signal: AbortSignal
    readonly discoverOnly: boolean
  },
  onPage: (page: WalkedPage) => void,
): Promise<void> {
  // Loaded when first needed, like the reader.
  const { PatternError, walkSite } = await import("#crawler")
  const walk = toWalkOptions(request)
  const admits = await reach.addresses()
  const start = toPageUrl(walk.url)
  if (start !== null && !admits(start))
    throw new ApiError(403, "[403] URL is not supported. This key may not read it.")
  const pages = walkSite(reach.reader, { ...walk, ...options, admits })
  try {
    for (let first = true; ; first = false) {
      const step = await unlessAborted(pages.next(), options.signal)
      if (step === null || step.done) return
      if (first && isBlocked(step.value.result)) throw new ApiError(403, "[403] URL is not supported")
      onPage(step.value)
    }
  } catch (error) {
    if (error instanceof PatternError)
      throw badRequest(`Invalid ${wireName[error.field] ?? error.field}. ${error.message}`)
    throw error
  } finally {
    // Not awaited: a generator that waits for a page returns only when that page is there.
    void pages.return(undefined).catch(() => {})
  }
}

const wireName: Readonly<Record<string, string>> = {
  selectPaths: "select_paths",
  excludePaths: "exclude_paths",
  selectDomains: "select_domains",
  excludeDomains: "exclude_domains",
}

function toWalkOptions(request: MapRequest): WalkOptions {
  return {
    url: startUrl(request.url),
    maxDepth: request.max_depth,
    maxBreadth: request.max_breadth,
    limit: request.limit,
    allowExternal: request.allow_external,
    selectPaths: [...(request.select_paths ?? []), ...categoryPaths(request.categories ?? [])],
    excludePaths: request.exclude_paths ?? [],
    selectDomains: request.select_domains ?? [],
    excludeDomains: request.exclude_domains ?? [],
  }
}

function startUrl(text: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text.trim())?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    throw new ApiError(403, "[403] URL is not supported")
  }
  const url = liveUrl(text)
  if (url === null) throw badRequest("Invalid url. Must be an http or https address.")
  return url
}

const isBlocked = (result: ReadResult | null): boolean =>
  result?.kind === "failed" && result.because === "blocked-address"
