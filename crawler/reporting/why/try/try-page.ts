import { outcomeName, type OutcomeName } from "../../../outcome-name.ts"
import { type Page, type Passage, type PageUrl, toPageUrl } from "#engine"
import { cutIntoPassages } from "#engine/text/passages.ts"
import type { CrawlerConfig } from "../../../settings.ts"
import type { KnownAddress } from "../../../crawl/frontier/known-addresses.ts"
import type { PageReader } from "../../../fetch/visit/reader.ts"
import type { Visit } from "../../../reading.ts"
import type { Reading } from "../../../reading.ts"
import { membership } from "../../../crawl/scope/scope.ts"
import type { Source } from "../../../source.ts"
import { type NoPage, verdictOn } from "../../../crawl/judge/verdict.ts"
import { detailOf } from "../../../crawl/judge/visit-outcome.ts"

/** The results of one visit with a source's settings, and what a run would do with them. */
export interface Tried {
  readonly url: PageUrl
  readonly source: Source
  /** Whether the address belongs to the source, so that a run would visit it. */
  readonly belongs: boolean
  readonly robots: RobotsTried
  /** Null if there was nothing to read. */
  readonly reading: ReadingTried | null
  /** The outcome as a run would record it. */
  readonly outcome: OutcomeName
  readonly detail: string | null
  /** The outcome with all known details; null if there is a page. */
  readonly end: NoPage | null
  /** The page that would be indexed; null if none would be. */
  readonly page: Page | null
  readonly passages: readonly Passage[]
  readonly tookMs: number
}

interface RobotsTried {
  /** False when the source or the settings ignore robots.txt. */
  readonly obeyed: boolean
  /** Null when robots.txt could not be read, or is not obeyed. */
  readonly allowed: boolean | null
  readonly detail: string | null
}

interface ReadingTried {
  /** The address after redirects. */
  readonly url: PageUrl
  readonly status: number
  readonly contentType: string
  readonly bytes: number
  /** Another address that the page declares as its original: a run also reads that address, and keeps one of the two pages if they are similar. */
  readonly canonical: string | null
  readonly noindex: boolean
  readonly nofollow: boolean
  readonly links: LinksTried
  readonly feeds: readonly string[]
  /** Details of how the page was read. */
  readonly note: string | null
}

interface LinksTried {
  readonly total: number
  /** The number of links that a run would follow, within its depth. */
  readonly followed: number
  readonly nofollow: number
  /** The number of links that lead outside the source. */
  readonly outside: number
}

export interface TryParts {
  readonly source: Source
  readonly reader: PageReader
  readonly config: CrawlerConfig
  /** The record of an address from earlier runs. */
  readonly lookUp: (url: PageUrl) => Promise<KnownAddress | null>
  readonly signal?: AbortSignal
}

/** Reads one page as a run of the source would, but indexes nothing. */
export async function tryPage(url: PageUrl, parts: TryParts): Promise<Tried> {
  const { source, reader, config, signal, lookUp } = parts
  const startedAt = performance.now()
  const inScope = membership(source, new Map())
  const obeys = source.politeness.robots ?? config.robots
  const refused = obeys ? await refusal(reader, url) : null
  const robots: RobotsTried = {
    obeyed: obeys,
    allowed: obeys ? (refused === null ? true : refused.kind === "skipped" ? false : null) : null,
    detail: refused === null ? null : endOf(refused).detail,
  }
  const visit: Visit =
    refused ??
    (await reader.visit(url, {
      rendering: source.rendering,
      onRedirect: async (to) => {
        if (!inScope(to) && !source.seeds.includes(url)) {
          return { kind: "skipped", because: "out-of-scope", detail: `redirects to ${to}`, leadsTo: to }
        }
        return obeys ? await refusal(reader, to) : null
      },
      ...(signal && { signal }),
    }))
  const tried = { url, source, belongs: inScope(url), robots }
  const took = () => Math.round(performance.now() - startedAt)
  if (visit.kind !== "read") {
    const end = visit.kind === "unmodified" ? null : visit
    return { ...tried, ...endOf(visit), end, reading: null, page: null, passages: [], tookMs: took() }
  }
  const { reading } = visit
  const verdict = await verdictOn(reading, url, {
    source,
    obeysNoindex: obeys && !source.ignoreNoindex,
    facts: (await lookUp(reading.url)) ?? { modifiedAt: null, publishedAt: null, isNews: false },
    fetchedAt: new Date(),
    isVisited: async () => false,
  })
  const page = verdict.kind === "page" ? verdict.page : null
  const end: Pick<Tried, "outcome" | "detail"> =
    verdict.kind === "page"
      ? {
          outcome: (await lookUp(reading.url))?.hash === verdict.hash ? "unchanged" : "indexed",
          detail: canonicalNote(reading, inScope),
        }
      : endOf(verdict.outcome)
  return {
    ...tried,
    ...end,
    end: verdict.kind === "page" ? null : verdict.outcome,
    reading: readingTried(reading, inScope, obeys),
    page,
    passages:
      page === null ? [] : await cutIntoPassages({ chars: page.markdown.length, signal }, page.markdown),
    tookMs: took(),
  }
}

function canonicalNote({ url, extracted }: Reading, inScope: (url: PageUrl) => boolean): string | null {
  const canonical = extracted.canonical === null ? null : toPageUrl(extracted.canonical)
  if (canonical === null || canonical === url || !inScope(canonical)) return null
  return `a crawl takes its canonical ${canonical} instead, if its text is the same`
}

async function refusal(reader: PageReader, url: PageUrl) {
  const answer = await reader.robots.for(url)
  if (answer.kind !== "rules") return answer
  const detail = answer.rules.refusal(url)
  return detail === null ? null : ({ kind: "skipped", because: "robots", detail } as const)
}

function endOf(visit: Exclude<Visit, { kind: "read" }> | NoPage): {
  outcome: OutcomeName
  detail: string | null
} {
  switch (visit.kind) {
    case "unmodified":
      return { outcome: "unchanged", detail: null }
    default:
      return { outcome: outcomeName(visit), detail: detailOf(visit) }
  }
}

function readingTried(
  { url, status, contentType, bytes, extracted }: Reading,
  inScope: (url: PageUrl) => boolean,
  obeys: boolean,
): ReadingTried {
  const { canonical, robots, links, feeds, note = null } = extracted
  const targets = new Map(links.map((link) => [link.url, link]))
  let [followed, nofollow, outside] = [0, 0, 0]
  for (const link of targets.values()) {
    const to = toPageUrl(link.url)
    if (to === null || !inScope(to)) outside += 1
    else if (obeys && (robots.nofollow || link.nofollow)) nofollow += 1
    else followed += 1
  }
  return {
    url,
    status,
    contentType,
    bytes,
    canonical: canonical === url ? null : canonical,
    ...robots,
    links: { total: targets.size, followed, nofollow, outside },
    feeds,
    note,
  }
}
