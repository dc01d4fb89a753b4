import { type PageUrl, toPageUrl } from "#engine"
import { breather } from "#engine/breather.ts"
import { anyPattern } from "./patterns.ts"
import type { Reader, ReadResult, WalkedPage, WalkOptions } from "./reading.ts"
import { scopeOf } from "./scope.ts"

/** Pages of one walk that are read at the same time: enough to answer in time, few enough not to be a burden. */
const CONCURRENCY = 6

interface Step {
  readonly url: PageUrl
  readonly depth: number
}

/**
 * Walks a site from one address along its links and yields pages as they are read, level by level. Obeys
 * robots.txt and nofollow. Within a level the order is that of the links.
 *
 * The start is always read. A page counts as inside when it is of the start's registrable domain or, where
 * `selectDomains` is given, when its host matches; path patterns choose among what is inside. Addresses beyond
 * `maxDepth` are not reported.
 *
 * External addresses come last, once each, when `allowExternal` is set and `selectDomains` is not: what is inside
 * has the first claim on `limit`, which bounds inside and outside together. They are read, or with
 * `discoverOnly` named, and never followed. An abort ends the walk after what was yielded.
 *
 * @throws PatternError before anything is fetched, when a pattern of the options is not valid.
 */
export async function* walkSite(reader: Reader, options: WalkOptions): AsyncGenerator<WalkedPage> {
  const filter = linkFilter(options)
  const start = toPageUrl(options.url)
  if (start === null) throw new TypeError(`${options.url} is no http address`)
  const { discoverOnly = false, limit, maxDepth } = options
  const breathe = breather()
  const seen = new Set<PageUrl>([start])
  const yielded = new Set<PageUrl>()
  const external: Step[] = []
  let level: Step[] = [{ url: start, depth: 0 }]
  let left = limit
  let inside = filter.insideOf(start)

  for (let depth = 0; level.length > 0; depth++) {
    const next: Step[] = []
    const named = discoverOnly && depth === maxDepth && depth > 0
    for await (const { step, result } of named
      ? unread(level)
      : read(reader, level.slice(0, left), options)) {
      if (options.signal?.aborted) return
      const url = result?.kind === "read" ? result.reading.url : step.url
      // Two addresses may redirect to one page.
      if (yielded.has(url)) continue
      yielded.add(url)
      seen.add(url)
      if (result?.kind === "read" && step.depth === 0) inside = filter.insideOf(url)
      if (step.depth > 0 && !inside(url)) continue
      yield { url, depth: step.depth, result }
      left -= 1
      if (left === 0) return
      if (result?.kind !== "read" || result.reading.extracted.robots.nofollow) continue
      let followed = 0
      for (const link of result.reading.extracted.links) {
        await breathe()
        if (link.nofollow) continue
        const target = toPageUrl(link.url)
        if (target === null || seen.has(target)) continue
        // No more of either can be used than the limit lets through.
        const linked = { url: target, depth: step.depth + 1 }
        if (inside(target)) {
          if (followed === options.maxBreadth || !filter.selects(target)) continue
          if (step.depth < maxDepth && next.length < limit) next.push(linked)
          followed += 1
        } else {
          if (!options.allowExternal || external.length === limit || !filter.reports(target)) continue
          external.push(linked)
        }
        seen.add(target)
      }
    }
    level = next
  }

  const last = external.filter(({ url }) => !yielded.has(url)).slice(0, left)
  for await (const { step, result } of discoverOnly ? unread(last) : read(reader, last, options)) {
    if (options.signal?.aborted) return
    const url = result?.kind === "read" ? result.reading.url : step.url
    if (yielded.has(url)) continue
    yielded.add(url)
    yield { url, depth: step.depth, result }
  }
}

interface Visit {
  readonly step: Step
  /** Null for an address that is only named. */
  readonly result: ReadResult | null
}

function* unread(steps: readonly Step[]): Generator<Visit> {
  for (const step of steps) yield { step, result: null }
}

/** Reads steps a few at a time and gives their results in the steps' order. */
async function* read(
  reader: Reader,
  steps: readonly Step[],
  { signal, discoverOnly = false }: Pick<WalkOptions, "signal" | "discoverOnly">,
): AsyncGenerator<Visit> {
  const running: Promise<ReadResult>[] = []
  for (const [index, step] of steps.entries()) {
    for (const { url } of steps.slice(running.length, index + CONCURRENCY)) {
      const reading = reader.read(url, { robots: true, linksOnly: discoverOnly, ...(signal && { signal }) })
      // A walk may end before its turn comes.
      reading.catch(() => undefined)
      running.push(reading)
    }
    yield { step, result: await running[index]! }
  }
}

interface LinkFilter {
  /** The test for pages inside the walk, once it is known where the start really lies. */
  insideOf(start: PageUrl): (url: PageUrl) => boolean
  /** Whether a page inside is wanted: by path patterns, and exclusions of any kind. */
  selects(url: PageUrl): boolean
  /** Whether an address outside is wanted. */
  reports(url: PageUrl): boolean
}

function linkFilter(options: WalkOptions): LinkFilter {
  const { selectPaths = [], excludePaths = [], selectDomains = [], excludeDomains = [] } = options
  const selectPath = anyPattern("selectPaths", selectPaths)
  const excludePath = anyPattern("excludePaths", excludePaths)
  const selectDomain = anyPattern("selectDomains", selectDomains)
  const excludeDomain = anyPattern("excludeDomains", excludeDomains)
  const selects = (url: PageUrl) => {
    const { pathname, hostname } = new URL(url)
    const selected = selectPaths.length === 0 || selectPath(pathname)
    return selected && !excludePath(pathname) && !excludeDomain(hostname)
  }
  return {
    insideOf: (start) =>
      selectDomains.length > 0 ? (url) => selectDomain(new URL(url).hostname) : scopeOf(start, "domain"),
    selects,
    reports: (url) => selectDomains.length === 0 && selects(url),
  }
}
