import { type PageUrl, toPageUrl } from "#engine"
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
 * `maxDepth` are not reported; external ones are, once each, when `allowExternal` is set.
 *
 * `limit` bounds pages read and external addresses together. An abort ends the walk after what was yielded.
 *
 * @throws PatternError before anything is fetched, when a pattern of the options is not valid.
 */
export async function* walkSite(reader: Reader, options: WalkOptions): AsyncGenerator<WalkedPage> {
  const filter = linkFilter(options)
  const start = toPageUrl(options.url)
  if (start === null) throw new TypeError(`${options.url} is no http address`)
  const seen = new Set<PageUrl>([start])
  const yielded = new Set<PageUrl>()
  let level: Step[] = [{ url: start, depth: 0 }]
  let left = options.limit
  let inside = filter.insideOf(start)

  while (level.length > 0 && left > 0 && !options.signal?.aborted) {
    const depth = level[0]?.depth ?? 0
    if (options.discoverOnly === true && depth === options.maxDepth && depth > 0) {
      for (const { url } of level.slice(0, left)) yield { url, depth, result: null }
      return
    }
    const next: Step[] = []
    const external: Step[] = []
    const steps = level.slice(0, left)
    for await (const { step, result } of inOrder(steps, (url) => read(reader, url, options))) {
      if (options.signal?.aborted) return
      const url = result.kind === "read" ? result.reading.url : step.url
      // Two addresses may redirect to one page.
      if (yielded.has(url)) continue
      yielded.add(url)
      seen.add(url)
      if (result.kind === "read" && step.depth === 0) inside = filter.insideOf(url)
      if (step.depth > 0 && !inside(url)) continue
      yield { url, depth: step.depth, result }
      left -= 1
      if (left === 0) return
      if (result.kind !== "read" || result.reading.extracted.robots.nofollow) continue
      let followed = 0
      for (const link of result.reading.extracted.links) {
        if (link.nofollow) continue
        const target = toPageUrl(link.url)
        if (target === null || seen.has(target)) continue
        const linked = { url: target, depth: step.depth + 1 }
        if (!inside(target)) {
          if (options.allowExternal && !filter.excludes(target)) external.push(linked)
          else continue
        } else if (!filter.selects(target) || followed >= options.maxBreadth) {
          continue
        } else {
          if (step.depth < options.maxDepth) next.push(linked)
          followed += 1
        }
        seen.add(target)
      }
    }
    for (const { url, depth } of external) {
      if (left === 0) return
      yield { url, depth, result: null }
      left -= 1
    }
    level = next
  }
}

async function read(reader: Reader, url: PageUrl, options: WalkOptions): Promise<ReadResult> {
  return await reader.read(url, { robots: true, ...(options.signal ? { signal: options.signal } : {}) })
}

interface LinkFilter {
  /** The test for pages inside the walk, once it is known where the start really lies. */
  insideOf(start: PageUrl): (url: PageUrl) => boolean
  /** Path patterns, and exclusions of any kind. */
  selects(url: PageUrl): boolean
  excludes(url: PageUrl): boolean
}

function linkFilter(options: WalkOptions): LinkFilter {
  const { selectPaths = [], excludePaths = [], selectDomains = [], excludeDomains = [] } = options
  const selectPath = anyPattern("selectPaths", selectPaths)
  const excludePath = anyPattern("excludePaths", excludePaths)
  const selectDomain = anyPattern("selectDomains", selectDomains)
  const excludeDomain = anyPattern("excludeDomains", excludeDomains)
  const excludes = (url: PageUrl) => {
    const { pathname, hostname } = new URL(url)
    return excludePath(pathname) || excludeDomain(hostname)
  }
  return {
    insideOf: (start) =>
      selectDomains.length > 0 ? (url) => selectDomain(new URL(url).hostname) : scopeOf(start, "domain"),
    selects: (url) => (selectPaths.length === 0 || selectPath(new URL(url).pathname)) && !excludes(url),
    excludes,
  }
}

/** Reads steps a few at a time and gives their results in the steps' order. */
async function* inOrder(
  steps: readonly Step[],
  read: (url: PageUrl) => Promise<ReadResult>,
): AsyncGenerator<{ step: Step; result: ReadResult }> {
  const running: Promise<ReadResult>[] = []
  for (const [index, step] of steps.entries()) {
    while (running.length < Math.min(steps.length, index + CONCURRENCY)) {
      const ahead = steps[running.length]
      if (ahead) running.push(read(ahead.url))
    }
    const result = await running[index]
    if (result) yield { step, result }
  }
}
