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
} from "../../reading.ts"
import { scopeOf } from "../scope/scope.ts"

/** Number of pages of one walk that are read at the same time: enough to answer in time, but few enough not to burden the site. */
const CONCURRENCY = 6
/** Number of links to keep as candidates, per page of the limit. */
const WAITING_PER_PAGE = 20

/**
 * Walks a site from one address along its links and yields pages as they are read. Obeys robots.txt and nofollow.
 * Without `judge` it goes level by level, in the order of the links; with `judge` it follows the best link first,
 * whatever its depth, so that breadth, limit and time are spent on relevant pages.
 *
 * The start is always read. A page counts as inside if it is on the start's registrable domain or, if `selectDomains`
 * is given, if its host matches; path patterns then filter the inside pages. Addresses beyond `maxDepth` are not
 * reported.
 *
 * With `sitemap` the sitemaps of the site that the start redirects to are read after the start; their pages count as
 * being as close as the start.
 *
 * External addresses come last, once each, when `allowExternal` is set and `selectDomains` is not: inside addresses
 * come first within `limit`, which applies to inside and outside together. External addresses are read (with
 * `discoverOnly`, only named) and never followed. An abort ends the walk after the last page yielded. A pause ends it
 * after the page being read and returns the remaining steps; each walk that continues from there reads at least one
 * page.
 *
 * @throws PatternError before anything is fetched, when a pattern in the options is invalid.
 */
export async function* walkSite(
  reader: Pick<Reader, "read" | "sitemap">,
  options: WalkOptions,
): AsyncGenerator<WalkedPage> {
  yield* new SiteWalk(reader, options).pages()
}

class SiteWalk {
  readonly #reader: Pick<Reader, "read" | "sitemap">
  readonly #options: WalkOptions
  readonly #filter: LinkFilter
  readonly #breathe = breather()
  readonly #start: PageUrl
  /** The address that the start led to; `null` if the start was not read. */
  #readStart: PageUrl | null
  /** Whether an address is inside the walk. */
  #inside: (url: PageUrl) => boolean
  /** Addresses that were visited, and the addresses they led to. */
  readonly #yielded: Set<PageUrl>
  /** Known addresses. */
  readonly #seen: Set<PageUrl>
  /** Remaining steps of the current level. */
  #waiting: readonly Step[]
  /** Steps of the next level that a paused walk had already found. */
  #known: readonly Step[]
  readonly #external: Step[]
  /** Number of pages that may still be yielded. */
  #left: number
  #isPaused = false

  constructor(reader: Pick<Reader, "read" | "sitemap">, options: WalkOptions) {
    this.#reader = reader
    this.#options = options
    this.#filter = linkFilter(options)
    const start = toPageUrl(options.url)
    if (start === null) throw new TypeError(`${options.url} isn't an http or https address`)
    const from = options.pause?.from ?? {
      start: null,
      left: options.limit,
      done: [],
      waiting: [{ url: start, depth: 0, score: 0 }],
      next: [],
      external: [],
    }
    this.#start = start
    this.#readStart = from.start
    this.#inside = this.#filter.insideOf(from.start ?? start)
    this.#yielded = new Set(from.done)
    this.#external = [...from.external]
    this.#waiting = from.waiting
    this.#known = from.next
    const known = [...from.waiting, ...from.next, ...from.external]
    this.#seen = new Set([...from.done, ...known.map(({ url }) => url)])
    this.#left = from.left
  }

  async *pages(): AsyncGenerator<WalkedPage> {
    while (this.#waiting.length > 0) if (yield* this.#readLevel()) return
    yield* this.#readExternal()
  }

  /** Reads one level, or with `judge` the best few steps. @returns whether the walk has ended */
  async *#readLevel(): AsyncGenerator<WalkedPage, boolean> {
    const { judge, limit } = this.#options
    const waiting = this.#waiting
    const isNamed = (step: Step) => this.#isNamed(step)
    const count = judge
      ? Math.min(CONCURRENCY, this.#left)
      : waiting.every(isNamed)
        ? waiting.length
        : this.#left
    const steps = waiting.slice(0, count)
    const next: Step[] = [...(judge ? waiting.slice(count) : []), ...this.#known]
    this.#known = []
    let taken = 0
    for await (const visit of this.#read(steps, isNamed)) {
      if (this.#isAborted()) return true
      taken += 1
      if (yield* this.#take(visit, next)) return true
    }
    const rest = steps.slice(taken)
    if (rest.length > 0 || (next.length > 0 && (await this.#pauses()))) {
      this.#pauseAt(rest.length > 0 ? { waiting: rest, next } : { waiting: next, next: [] })
      return true
    }
    this.#waiting = judge
      ? next.toSorted((a, b) => b.score - a.score).slice(0, limit * WAITING_PER_PAGE)
      : next
    return false
  }

  /** Yields the page of a step and adds its links to `next`. @returns whether the walk has ended */
  async *#take({ step, result }: Visit, next: Step[]): AsyncGenerator<WalkedPage, boolean> {
    const { discoverOnly = false, limit, maxDepth, maxBreadth, judge, sitemap } = this.#options
    const url = addressOf(step, result)
    if (!this.#isNew(step, url)) return false
    this.#seen.add(url)
    const isStart = step.url === this.#start
    if (result?.kind === "read" && isStart) this.#inside = this.#filter.insideOf((this.#readStart = url))
    if (!isStart && !this.#inside(url)) return false
    const listed = isStart && sitemap && isThere(result) ? await this.#pagesOfSitemap(url) : []
    if (this.#isAborted()) return true
    const isListOnly = sitemap === "only" && discoverOnly
    if (!isStart || !isListOnly || !isThere(result) || listed.includes(url)) {
      yield { url, depth: step.depth, result }
      if (--this.#left === 0) return true
    }
    // Pages in a sitemap count as being as close as the start. A map (`discoverOnly`) names them, and reads only those
    // that the start links to.
    if (!discoverOnly) this.#addListed(listed, next)
    const found = await this.#linksInside(step, result)
    if (discoverOnly && (yield* this.#nameListed(listed))) return true
    if (step.depth === maxDepth) return false
    const chosen = judge ? await best(found, maxBreadth, judge) : found.map(unjudged)
    if (this.#isAborted()) return true
    for (const link of chosen) if (judge || next.length < limit) next.push({ ...link, depth: step.depth + 1 })
    return false
  }

  #addListed(listed: readonly PageUrl[], next: Step[]): void {
    for (const page of listed) {
      if (this.#seen.has(page) || next.length === this.#options.limit) continue
      this.#seen.add(page)
      next.push({ url: page, depth: 0, score: 0 })
    }
  }

  /** @returns whether the walk has ended */
  async *#nameListed(listed: readonly PageUrl[]): AsyncGenerator<WalkedPage, boolean> {
    for (const page of listed) {
      if (this.#seen.has(page)) continue
      this.#seen.add(page)
      this.#yielded.add(page)
      yield { url: page, depth: 0, result: null }
      if (--this.#left === 0) return true
    }
    return false
  }

  /** New links to addresses inside the walk. Links to addresses outside it are kept for the end. */
  async #linksInside(step: Step, result: ReadResult | null): Promise<Link[]> {
    const { sitemap, admits, judge, maxBreadth, allowExternal, limit } = this.#options
    const found: Link[] = []
    for (const link of sitemap === "only" ? [] : linksOf(result)) {
      await this.#breathe()
      if (link.nofollow) continue
      const target = toPageUrl(link.url)
      if (target === null || this.#seen.has(target) || admits?.(target) === false) continue
      if (this.#inside(target)) {
        if ((!judge && found.length === maxBreadth) || !this.#filter.selects(target)) continue
        found.push({ url: target, text: link.text })
      } else {
        // External links beyond the limit would never be used.
        if (!allowExternal || this.#external.length === limit || !this.#filter.reports(target)) continue
        this.#external.push({ url: target, depth: step.depth + 1, score: 0 })
      }
      this.#seen.add(target)
    }
    return found
  }

  async *#readExternal(): AsyncGenerator<WalkedPage> {
    const { discoverOnly = false } = this.#options
    const last = this.#external.filter(({ url }) => !this.#yielded.has(url)).slice(0, this.#left)
    let taken = 0
    for await (const { step, result } of this.#read(last, () => discoverOnly)) {
      if (this.#isAborted()) return
      taken += 1
      const url = addressOf(step, result)
      if (!this.#isNew(step, url)) continue
      yield { url, depth: step.depth, result }
      this.#left -= 1
    }
    if (taken < last.length) this.#pauseAt({ waiting: [], next: [], external: last.slice(taken) })
  }

  #read(steps: readonly Step[], isNamed: (step: Step) => boolean): AsyncGenerator<Visit> {
    return read(this.#reader, steps, this.#options, { isNamed, pauses: () => this.#pauses() })
  }

  #pagesOfSitemap(site: PageUrl): Promise<readonly PageUrl[]> {
    const { limit, admits, signal } = this.#options
    const isInside = this.#inside
    return this.#reader.sitemap(site, {
      // One more page than needed, because the start may be among them.
      limit: limit + 1,
      wants: (url) => isInside(url) && this.#filter.selects(url) && admits?.(url) !== false,
      ...(signal && { signal }),
    })
  }

  /** Records that a step led to an address. Returns `false` if another step already led there: two addresses may redirect to one page. */
  #isNew(step: Step, url: PageUrl): boolean {
    if (this.#yielded.has(url)) return false
    this.#yielded.add(url).add(step.url)
    return true
  }

  /** Whether an address is only named and not read, because a map goes no deeper. */
  #isNamed({ depth }: Step): boolean {
    const { discoverOnly = false, maxDepth } = this.#options
    return discoverOnly && depth === maxDepth && depth > 0
  }

  #isAborted(): boolean {
    return this.#options.signal?.aborted === true
  }

  async #pauses(): Promise<boolean> {
    return (this.#isPaused ||= (await this.#options.pause?.isDue()) ?? false)
  }

  #pauseAt(rest: Pick<WalkFrontier, "waiting" | "next"> & Partial<Pick<WalkFrontier, "external">>): void {
    this.#options.pause?.keep({
      start: this.#readStart,
      left: this.#left,
      done: [...this.#yielded],
      external: this.#external,
      ...rest,
    })
  }
}

const addressOf = (step: Step, result: ReadResult | null): PageUrl =>
  result?.kind === "read" ? result.reading.url : step.url

/** Whether a server answers at an address, even without a page. */
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
  /** `null` for an address that is only named. */
  readonly result: ReadResult | null
}

/** Reads a few steps at a time and yields their results in the order of the steps; begins no more steps once `pauses` returns true. */
async function* read(
  reader: Pick<Reader, "read">,
  steps: readonly Step[],
  { signal, discoverOnly = false, rendering }: WalkOptions,
  { isNamed, pauses }: { readonly isNamed: (step: Step) => boolean; readonly pauses: () => Promise<boolean> },
): AsyncGenerator<Visit> {
  const running: Promise<ReadResult | null>[] = []
  for (const [index, step] of steps.entries()) {
    const most = index > 0 && (await pauses()) ? running.length : index + CONCURRENCY
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
      // A walk may end before this result is awaited.
      reading.catch(() => undefined)
      running.push(reading)
    }
    const result = await running[index]!
    // Frees the memory of the result: a level can have thousands of pages, and the caller keeps the ones it needs.
    running[index] = DONE
    yield { step, result }
  }
}

const DONE = Promise.resolve(null)

interface LinkFilter {
  /** The test for pages inside the walk, once the start's final address is known. */
  insideOf(start: PageUrl): (url: PageUrl) => boolean
  /** Whether a page inside the walk is wanted, according to the path patterns and all exclusions. */
  selects(url: PageUrl): boolean
  /** Whether an address outside the walk is wanted. */
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
