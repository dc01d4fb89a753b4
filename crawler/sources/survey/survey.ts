import { type PageUrl, toPageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import type { Resolve } from "../../fetch/guard/address-guard.ts"
import { concealedEnd, concealedVisit } from "../../fetch/concealed.ts"
import { mannersOf } from "../../fetch/hosts/manners.ts"
import { outcomeName, type OutcomeName } from "../../outcome-name.ts"
import { detailOf } from "../../crawl/judge/visit-outcome.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { defineSource } from "../../source.ts"
import { openSourceReader } from "../../fetch/visit/source-reader.ts"
import type { PageReader } from "../../fetch/visit/reader.ts"
import type { ReadingPlaces } from "../../fetch/visit/reading-places.ts"
import type { Tried } from "../../reporting/why/try/try-page.ts"
import { hostMs, machineMs, type Pace } from "../crawl-time.ts"
import { type LanguageLook, languagesOf } from "./languages.ts"
import { type LoginForm, loginForm, loginLink } from "./login-look.ts"
import { type Obstacle, obstacleOf, pageObstacles } from "./obstacles.ts"
import { type LookedAt, PoliteVisits, type RobotsLook } from "./polite-visits.ts"
import { membershipOf, type ProposedSource, proposeSource, withSitemap } from "./propose.ts"
import { recognise, type Recognised } from "./programs/registry.ts"
import { lookAtRendering, type RenderingLook } from "./rendering-look.ts"
import { lookAt, type SiteLook } from "./site-look.ts"
import { lookForSitemap, type SitemapLook } from "./sitemap-look.ts"

/** The time limit for a whole look, including waits, since a person is waiting for it. If a site is slow, the look describes only the part that was read in time. */
export const SURVEY_MS = 90_000
/** The maximum number of pages shown as they would be indexed. */
export const PAGES_SHOWN = 5

export interface SurveyOptions {
  readonly db: StateStore
  readonly config: CrawlerConfig
  /** Whether the operator gave the address, which means that it can be private. */
  readonly trusted: boolean
  /** Whether an admin can allow networks, and may therefore learn whether a name is unknown or resolves into a forbidden network. */
  readonly tellsNetworks?: boolean
  /** Whether the site belongs to the operator, which means that robots.txt is no obstacle. */
  readonly ignoresRobots: boolean
  /** Names of existing sources. */
  readonly taken: ReadonlySet<string>
  readonly signal?: AbortSignal
  readonly resolve?: Resolve
  /** The browser to read pages with, for looks that share one; otherwise the look opens its own and closes it. */
  readonly places?: ReadingPlaces
}

/** The results of one look at a site, and a source that suits them. */
export interface Survey {
  readonly asked: PageUrl
  /** The address after redirects; `null` if nothing could be read. */
  readonly url: PageUrl | null
  /** How the first visit ended. */
  readonly outcome: OutcomeName
  readonly detail: string | null
  /** The title of the first page. */
  readonly title: string | null
  /** The robots.txt rules for that page; `null` if they couldn't be read or don't apply. */
  readonly robots: RobotsLook | null
  readonly program: Omit<Recognised, "advice"> | null
  readonly source: ProposedSource
  readonly rendering: RenderingLook | null
  readonly sitemap: SitemapLook | null
  readonly feeds: readonly string[]
  readonly languages: readonly LanguageLook[]
  /** A form that asks for a password; `isNeeded` if nothing can be read without it. */
  readonly login: (LoginForm & { readonly isNeeded: boolean }) | null
  /** Obstacles and other facts that the operator should know, each with a way to deal with it. */
  readonly obstacles: readonly Obstacle[]
  readonly notes: readonly string[]
  /** Sample pages as they would be indexed. */
  readonly pages: readonly Tried[]
  readonly estimate: Estimate | null
  readonly requests: number
  readonly tookMs: number
}

/** How large the crawl will be. */
export interface Estimate {
  readonly pages: number
  /** Where the number of pages comes from: the sitemap, or the links on the pages that were read, in which case there are more pages. */
  readonly from: "sitemap" | "links"
  readonly delayMs: number
  readonly seconds: number
}

/**
 * Looks at a site once and proposes how to crawl it: a dozen requests at most, one after another, with the pause that
 * the host requires. Indexes nothing and stores nothing.
 * @throws Error, LoginError, NetworkChangedError as {@link openSourceReader}
 */
export async function surveySite(asked: PageUrl, options: SurveyOptions): Promise<Survey> {
  const { db, config, trusted, ignoresRobots } = options
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(SURVEY_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const first = defineSource({ seeds: [asked], rendering: "http" })
  await using reader = await openSourceReader(first, config, {
    db,
    author: trusted ? "operator" : "api",
    first: trusted ? "unkept" : "public",
    resolve: options.resolve,
    places: options.places,
  })
  const obeys = (url: PageUrl) => config.robots && !(ignoresRobots && (trusted || reader.isOwnHost(url)))
  const visits = new PoliteVisits({ reader, config, obeys, signal })
  const looked = await firstLook(asked, visits, obeys)
  const found =
    looked.visit.kind === "read"
      ? await describe(lookAtFirst(asked, looked, looked.visit.reading), {
          ...options,
          reader,
          visits,
          obeys,
        })
      : nothingRead(asked, looked.visit, options)
  const landed = found.url ?? asked
  const robots = obeys(landed) ? await visits.rules(landed) : null
  return { ...found, robots, requests: visits.requests, tookMs: Math.round(performance.now() - startedAt) }
}

type Found = Omit<Survey, "robots" | "requests" | "tookMs">
type Unread = Exclude<LookedAt["visit"], { kind: "read" | "unmodified" }>

/** The first page; if robots.txt forbids reading it, the result says so. */
async function firstLook(
  asked: PageUrl,
  visits: PoliteVisits,
  obeys: (url: PageUrl) => boolean,
): Promise<Omit<LookedAt, "visit"> & { visit: Exclude<LookedAt["visit"], { kind: "unmodified" }> }> {
  const refusal = obeys(asked) ? (await visits.robots(asked)).refusal : null
  const looked = refusal === null ? await visits.look(asked, "http") : null
  const visit = looked?.visit ?? {
    kind: "skipped",
    because: "robots",
    detail: refusal ?? "robots.txt disallows it",
  }
  if (visit.kind === "unmodified") throw new Error(`${asked} answered 304 to a request without validators`)
  return { html: null, headers: {}, ...looked, visit }
}

const lookAtFirst = (
  asked: PageUrl,
  { html, headers }: LookedAt | Awaited<ReturnType<typeof firstLook>>,
  reading: SiteLook["reading"],
): SiteLook => lookAt(asked, html ?? "", headers, reading)

interface Parts extends SurveyOptions {
  readonly reader: PageReader
  readonly visits: PoliteVisits
  readonly obeys: (url: PageUrl) => boolean
}

async function describe(look: SiteLook, parts: Parts): Promise<Found> {
  const { visits, config, reader, trusted } = parts
  const { asked, url } = look
  const recognised = recognise(look)
  const { advice, ...program } = recognised ?? { advice: {} }
  const own = loginForm(look)
  const isNeeded = own !== null && (url !== asked || isBare(look))
  const rendering = isNeeded ? null : await lookAtRendering(look, advice, visits, config)
  // On the operator's own network, rules that are meant to keep public crawlers away don't apply to this crawler.
  const { robots } = look.reading.extracted
  const isClosedOwn = trusted && reader.isOwnHost(url) && robots.noindex && !isNeeded
  const bare = proposeSource({
    asked,
    url,
    advice,
    rendering,
    login: isNeeded ? own : null,
    asksForPassword: false,
    // If links may not be followed either, ignoring noindex alone would index only the first page.
    ignoresRobots: parts.ignoresRobots || (isClosedOwn && robots.nofollow),
    ignoresNoindex: isClosedOwn,
    taken: parts.taken,
  })
  const [seed = asked] = bare.seeds as PageUrl[]
  const landing = advice.seed === undefined && seed === asked && !isNeeded ? url : seed
  const belongs = membershipOf(bare, landing)
  const sitemap = isNeeded
    ? null
    : await lookForSitemap(landing, (await visits.robots(landing)).sitemaps, advice.sitemap, belongs, visits)
  const listed = listedIn(sitemap, belongs)
  const source = withSitemap(bare, listed.total === 0 ? null : sitemap, listed.total)
  const form = own ?? (await offeredForm(look, advice.login, visits))
  const linked = [...look.links.map((link) => link.url), ...(rendering?.links ?? [])].flatMap(
    (link) => toPageUrl(link, seed) ?? [],
  )
  const inside = linked.filter(belongs)
  const candidates = [...new Set(listed.pages.length > 1 ? listed.pages : inside)]
  const pages = isNeeded ? [] : await readPages([landing, ...spread(candidates, landing)], source, parts)
  const known = new Set([landing, ...inside, ...pages.flatMap(({ reading }) => reading?.url ?? [])])
  const pace = await paceOf(landing, source, pages, parts)
  const listedTotal = listed.total
  return {
    asked,
    url,
    outcome: "indexed",
    detail: null,
    title: look.reading.extracted.title || null,
    program: recognised === null ? null : (program as Omit<Recognised, "advice">),
    source,
    rendering,
    sitemap: sitemap && { ...sitemap, ...listed },
    feeds: look.feeds,
    languages: languagesOf(look, sitemap === null ? linked : [...listed.pages, ...linked]),
    login: form && { ...form, isNeeded },
    obstacles: pageObstacles({
      look,
      pages,
      rendering,
      sitemap,
      listedTotal,
      isNeeded,
      isClosedOwn,
      form,
      trusted,
    }),
    notes: advice.notes ?? [],
    pages,
    estimate: isNeeded ? null : estimateOf(listedTotal, known.size, pace, await machineMs(parts.db)),
  }
}

/** The sitemap's pages that belong to the source, and an estimate of their total. */
function listedIn(
  sitemap: SitemapLook | null,
  belongs: (url: PageUrl) => boolean,
): Pick<SitemapLook, "pages" | "total"> {
  if (sitemap === null || sitemap.pages.length === 0) return { pages: [], total: 0 }
  const pages = sitemap.pages.filter(belongs)
  return { pages, total: Math.round(sitemap.total * (pages.length / sitemap.pages.length)) }
}

/** The pace at which the site will be read. */
async function paceOf(
  landing: PageUrl,
  source: ProposedSource,
  pages: readonly Tried[],
  { config, obeys, reader }: Parts,
): Promise<Pace & { readonly pageMs: number }> {
  const full = defineSource(source)
  const { delayMs, concurrency } = mannersOf(full, "operator", config)(landing)
  const asksDelay = obeys(landing) ? await reader.crawlDelayMs(landing) : null
  return {
    delayMs: Math.max(delayMs, asksDelay ?? 0),
    concurrency: full.rendering === "browser" ? Math.min(concurrency, config.browserPages) : concurrency,
    pageMs: average(pages.map(({ tookMs }) => tookMs)),
  }
}

/** @param ownMs how long this machine takes per page */
function estimateOf(
  listed: number,
  linked: number,
  pace: Pace & { readonly pageMs: number },
  ownMs: number,
): Estimate {
  const pages = listed > 0 ? listed : linked
  return {
    pages,
    from: listed > 0 ? "sitemap" : "links",
    delayMs: pace.delayMs,
    seconds: Math.ceil(Math.max(hostMs(pages, pace, pace.pageMs), pages * ownMs) / 1000),
  }
}

/** The length of the text below which a page contains a login form and little else. */
const BARE_CHARS = 300
const isBare = ({ reading }: SiteLook): boolean => reading.extracted.markdown.length < BARE_CHARS

/** The login form behind the page's login link; a look follows one such link. */
async function offeredForm(
  look: SiteLook,
  ofProgram: string | undefined,
  visits: PoliteVisits,
): Promise<LoginForm | null> {
  const link = loginLink(look) ?? (ofProgram === undefined ? null : toPageUrl(ofProgram, look.url))
  if (link === null) return null
  const looked = await visits.look(link, "http")
  if (looked?.visit.kind !== "read") return null
  return loginForm(lookAtFirst(link, looked, looked.visit.reading))
}

/** Addresses from all over the site, except the start itself. */
export function spread(candidates: readonly PageUrl[], start: PageUrl): PageUrl[] {
  const others = candidates.filter((url) => url !== start && url !== start.replace(/#!?\/$/, ""))
  const wanted = Math.min(PAGES_SHOWN - 1, others.length)
  return Array.from({ length: wanted }, (_, index) => others[Math.floor((index * others.length) / wanted)]!)
}

async function readPages(
  urls: readonly PageUrl[],
  source: ProposedSource,
  { visits, trusted }: Parts,
): Promise<Tried[]> {
  const pages: Tried[] = []
  // A secret that can't be resolved yet is no obstacle here, because the look doesn't log in.
  const full = defineSource({ ...source, login: null })
  for (const url of urls) {
    const read = await visits.try(url, full)
    const tried = read === null || trusted ? read : concealedEnd(read)
    if (tried !== null && !pages.some((page) => isSame(page, tried))) pages.push(tried)
  }
  return pages
}

/** Whether two addresses lead to pages with the same text. */
const isSame = (one: Tried, other: Tried): boolean =>
  one.page !== null && one.page.markdown === other.page?.markdown

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

function nothingRead(asked: PageUrl, ended: Unread, options: SurveyOptions): Found {
  const { ignoresRobots, taken, trusted, tellsNetworks = false } = options
  const visit = trusted || tellsNetworks ? ended : concealedVisit(ended)
  const status = visit.kind === "failed" ? visit.status : undefined
  const source = proposeSource({
    asked,
    url: asked,
    advice: {},
    rendering: null,
    login: null,
    asksForPassword: status === 401,
    ignoresRobots,
    ignoresNoindex: false,
    taken,
  })
  return {
    asked,
    url: null,
    outcome: outcomeName(visit),
    detail: detailOf(visit),
    title: null,
    program: null,
    source,
    rendering: null,
    sitemap: null,
    feeds: [],
    languages: [],
    login: null,
    obstacles: [obstacleOf(visit, asked)],
    notes: [],
    pages: [],
    estimate: null,
  }
}
