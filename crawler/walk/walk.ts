import { type PageUrl, toPageUrl } from "#engine"
import { breather } from "#base/flow/breather.ts"
import { anyPattern } from "../scope/patterns.ts"
import type {
  Reader,
  Reading,
  ReadResult,
  WalkedPage,
  WalkOptions,
  WalkFrontier,
  WalkStep as Step,
} from "../reading.ts"
import { scopeOf } from "../scope/scope.ts"

/** Pages of one walk that are read at the same time: enough to answer in time, few enough not to be a burden. */
const CONCURRENCY = 6
/** Links kept to choose from, for each page of the limit. */
const WAITING_PER_PAGE = 20

/**
 * Walks a site from one address along its links and yields pages as they are read. Obeys robots.txt and nofollow.
 * Without `judge` it goes level by level, in the order of the links; with one it goes best link first, whatever its
 * depth, so that breadth, limit and time are spent on what fits.
 *
 * The start is always read. A page counts as inside when it is of the start's registrable domain or, where
 * `selectDomains` is given, when its host matches; path patterns choose among what is inside. Addresses beyond
 * `maxDepth` are not reported.
 *
 * With `sitemap` the site's sitemaps are read after the start, from where that leads to; their pages count as no further away than it.
 *
 * External addresses come last, once each, when `allowExternal` is set and `selectDomains` is not: what is inside
 * has the first claim on `limit`, which bounds inside and outside together. They are read, or with
 * `discoverOnly` named, and never followed. An abort ends the walk after what was yielded, a pause after what is being
 * read, with what is left; each walk that goes on from there reads at least a page.
 *
 * @throws PatternError before anything is fetched, when a pattern of the options is not valid.
 */
export async function* walkSite(
  reader: Pick<Reader, "read" | "sitemap">,
  options: WalkOptions,
): AsyncGenerator<WalkedPage> {
  const filter = linkFilter(options)
  const start = toPageUrl(options.url)
  if (start === null) throw new TypeError(`${options.url} is no http address`)
  const { discoverOnly = false, limit, maxDepth, judge, sitemap } = options
  const isListOnly = sitemap === "only" && discoverOnly
  const breathe = breather()
  const from = options.pause?.from ?? {
    start: null,
    left: limit,
    done: [],
    waiting: [{ url: start, depth: 0, score: 0 }],
    next: [],
    external: [],
  }
  const yielded = new Set<PageUrl>(from.done)
  const external: Step[] = [...from.external]
  let waiting: readonly Step[] = from.waiting
  let known: readonly Step[] = from.next
  const seen = new Set<PageUrl>([...yielded, ...[...waiting, ...known, ...external].map(({ url }) => url)])
  let left = from.left
  let readStart = from.start
  let inside = filter.insideOf(readStart ?? start)
  let isPaused = false
  const pauses = () => (isPaused ||= options.pause?.isDue() ?? false)
  const pauseAt = (rest: Pick<WalkFrontier, "waiting" | "next" | "external">) =>
    options.pause?.keep({ start: readStart, left, done: [...yielded], ...rest })
  const isNamed = ({ depth }: Step) => discoverOnly && depth === maxDepth && depth > 0
  const pagesOfSitemap = (site: PageUrl, isInside: (url: PageUrl) => boolean) =>
    reader.sitemap(site, {
      // The start may be among them.
      limit: limit + 1,
      wants: (url) => isInside(url) && filter.selects(url) && options.admits?.(url) !== false,
      ...(options.signal && { signal: options.signal }),
    })

  while (waiting.length > 0) {
    // A whole level, or the few best of all.
    const count = judge ? Math.min(CONCURRENCY, left) : waiting.every(isNamed) ? waiting.length : left
    const steps = waiting.slice(0, count)
    const next: Step[] = [...(judge ? waiting.slice(count) : []), ...known]
    known = []
    let taken = 0
    for await (const { step, result } of read(reader, steps, options, { isNamed, pauses })) {
      if (options.signal?.aborted) return
      taken += 1
      const url = result?.kind === "read" ? result.reading.url : step.url
      // Two addresses may redirect to one page.
      if (yielded.has(url)) continue
      yielded.add(url).add(step.url)
      seen.add(url)
      const isStart = step.url === start
      if (result?.kind === "read" && isStart) inside = filter.insideOf((readStart = url))
      if (!isStart && !inside(url)) continue
      const listed = isStart && sitemap && isThere(result) ? await pagesOfSitemap(url, inside) : []
      if (options.signal?.aborted) return
      if (!isStart || !isListOnly || !isThere(result) || listed.includes(url)) {
        yield { url, depth: step.depth, result }
        left -= 1
        if (left === 0) return
      }
      // What a sitemap lists is as near as the start. A map names it, and reads of it what the start links to.
      if (!discoverOnly) {
        for (const page of listed) {
          if (seen.has(page) || next.length === limit) continue
          seen.add(page)
          next.push({ url: page, depth: 0, score: 0 })
        }
      }
      const found: Link[] = []
      for (const link of sitemap === "only" ? [] : linksOf(result)) {
        await breathe()
        if (link.nofollow) continue
        const target = toPageUrl(link.url)
        if (target === null || seen.has(target) || options.admits?.(target) === false) continue
        if (inside(target)) {
          if ((!judge && found.length === options.maxBreadth) || !filter.selects(target)) continue
          found.push({ url: target, text: link.text })
        } else {
          // No more can be used than the limit lets through.
          if (!options.allowExternal || external.length === limit || !filter.reports(target)) continue
          external.push({ url: target, depth: step.depth + 1, score: 0 })
        }
        seen.add(target)
      }
      for (const page of discoverOnly ? listed : []) {
        if (seen.has(page)) continue
        seen.add(page)
        yielded.add(page)
        yield { url: page, depth: 0, result: null }
        left -= 1
        if (left === 0) return
      }
      if (step.depth === maxDepth) continue
      const chosen = judge ? await best(found, options.maxBreadth, judge) : found.map(unjudged)
      if (options.signal?.aborted) return
      for (const link of chosen)
        if (judge || next.length < limit) next.push({ ...link, depth: step.depth + 1 })
    }
    const rest = steps.slice(taken)
    if (rest.length > 0 || (next.length > 0 && pauses())) {
      pauseAt(rest.length > 0 ? { waiting: rest, next, external } : { waiting: next, next: [], external })
      return
    }
    waiting = judge ? next.toSorted((a, b) => b.score - a.score).slice(0, limit * WAITING_PER_PAGE) : next
  }

  const last = external.filter(({ url }) => !yielded.has(url)).slice(0, left)
  let taken = 0
  for await (const { step, result } of read(reader, last, options, { isNamed: () => discoverOnly, pauses })) {
    if (options.signal?.aborted) return
    taken += 1
    const url = result?.kind === "read" ? result.reading.url : step.url
    if (yielded.has(url)) continue
    yielded.add(url).add(step.url)
    yield { url, depth: step.depth, result }
    left -= 1
  }
  if (taken < last.length) pauseAt({ waiting: [], next: [], external: last.slice(taken) })
}

/** Whether somebody answers at an address, be it that there is no page. */
const isThere = (result: ReadResult | null): boolean =>
  result !== null && (result.kind !== "failed" || result.because === "http-status")

const linksOf = (result: ReadResult | null): Reading["extracted"]["links"] =>
  result?.kind !== "read" || result.reading.extracted.robots.nofollow ? [] : result.reading.extracted.links

interface Link {
  readonly url: PageUrl
  readonly text: string
}

type Judged = Pick<Step, "url" | "score">

const unjudged = ({ url }: Link): Judged => ({ url, score: 0 })

/** The links that fit best, best first. */
async function best(
  links: readonly Link[],
  count: number,
  judge: NonNullable<WalkOptions["judge"]>,
): Promise<Judged[]> {
  const scores = links.length > 0 ? await judge(links) : []
  return links
    .map(({ url }, i) => ({ url, score: scores[i] ?? 0 }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
}

interface Visit {
  readonly step: Step
  /** Null for an address that is only named. */
  readonly result: ReadResult | null
}

/** Reads steps a few at a time and gives their results in the steps' order; no more than are begun once it `pauses`. */
async function* read(
  reader: Pick<Reader, "read">,
  steps: readonly Step[],
  { signal, discoverOnly = false, rendering }: WalkOptions,
  { isNamed, pauses }: { readonly isNamed: (step: Step) => boolean; readonly pauses: () => boolean },
): AsyncGenerator<Visit> {
  const running: Promise<ReadResult | null>[] = []
  for (const [index, step] of steps.entries()) {
    const most = index > 0 && pauses() ? running.length : index + CONCURRENCY
    if (index >= most) return
    for (const ahead of steps.slice(running.length, most)) {
      const reading = isNamed(ahead)
        ? Promise.resolve(null)
        : reader.read(ahead.url, {
            robots: true,
            linksOnly: discoverOnly,
            ...(signal && { signal }),
            ...(rendering && { rendering }),
          })
      // A walk may end before its turn comes.
      reading.catch(() => undefined)
      running.push(reading)
    }
    const result = await running[index]!
    // A level may have thousands of pages, and who asked for them keeps what it wants.
    running[index] = DONE
    yield { step, result }
  }
}

const DONE = Promise.resolve(null)

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
