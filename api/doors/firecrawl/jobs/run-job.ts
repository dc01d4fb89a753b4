import { randomUUID } from "node:crypto"

import type { Reader, ReadResult } from "#crawler"
import type { PageUrl } from "#engine"
import { pause } from "#base/flow/pause.ts"
import { Serial } from "#base/flow/serial.ts"

import type { AddressTest, LiveReader, Reach } from "../../../identity/accounts/reach/reach.ts"
import { findPage } from "../../../core/read/find-page.ts"
import { documentOf, unmadeReason, type FirecrawlDocument } from "../documents/document.ts"
import { failureOf, readDocument, readOptions, type ScrapeParts } from "../documents/read-document.ts"
import type { BatchJobRequest, CrawlJobRequest, JobRequest, Pace } from "./crawl-request.ts"
import { walkedSitemap } from "../scrape-request.ts"
import type { JobFrontier } from "./job-frontier.ts"
import type { StoredFailure } from "./job-store.ts"

/** Stores the documents of a job. */
export interface JobResults {
  document(url: string, document: FirecrawlDocument): Promise<void>
  failure(failure: StoredFailure): Promise<void>
}

export type JobParts = Omit<ScrapeParts, "reader" | "reach" | "scrapeId"> & {
  readonly reach: Pick<Reach, "page" | "limits" | "reader" | "addresses">
  readonly results: JobResults
}

/** One turn of work on a job. */
export interface JobTurn {
  /** The work left over from the previous turn; null if this is the first turn. */
  readonly from: JobFrontier | null
  /** Whether to stop: pages already being read are stored first. */
  isOver(): Promise<boolean>
}

/**
 * Works through a job page by page, storing each page before the next, until the job is done, its turn is over or
 * `signal` aborts. Each turn reads at least one page.
 * @returns the remaining work, or null
 */
export async function runJob(
  request: JobRequest,
  parts: JobParts,
  turn: JobTurn,
): Promise<JobFrontier | null> {
  const { scrape, pace } = request
  const reader = paced(parts.reach.reader, pace, { isFirst: turn.from === null, signal: parts.signal })
  const asked = { ...readOptions(scrape, parts.signal), timeoutMs: scrape.timeoutMs }
  const own: LiveReader = {
    ...parts.reach.reader,
    read: (url, options) => reader.read(url, { ...asked, ...options }),
  }
  return await (request.kind === "crawl"
    ? runCrawl(request, own, parts, turn)
    : runBatch(request, own, parts, turn))
}

async function runCrawl(
  request: CrawlJobRequest,
  reader: LiveReader,
  parts: JobParts,
  turn: JobTurn,
): Promise<JobFrontier | null> {
  const { signal, results } = parts
  const { scrape } = request
  // The crawler's code is loaded when it is first needed, like the reader.
  const { walkSite } = await import("#crawler")
  const admits = await linkTest(request, await parts.reach.addresses())
  const from = turn.from?.kind === "crawl" ? turn.from.walk : null
  // Registers the addresses read in earlier turns, so that no address that differs from one of them only in its
  // parameters is read as well.
  for (const url of from?.done ?? []) admits(url)
  let left: JobFrontier | null = null
  const pages = walkSite(reader, {
    url: request.url,
    maxDepth: request.maxDepth,
    maxBreadth: request.limit,
    limit: request.limit,
    allowExternal: request.external,
    selectPaths: request.includePaths,
    excludePaths: request.excludePaths,
    rendering: scrape.rendering,
    ...walkedSitemap(request.sitemap),
    admits,
    signal,
    pause: {
      from,
      isDue: () => turn.isOver(),
      keep: (walk) => {
        left = { kind: "crawl", walk }
      },
    },
  })
  for await (const { url, result } of pages) {
    if (signal.aborted) return null
    if (result === null) continue
    if (result.kind === "read") {
      await keep(url, results, async () => ({
        kind: "document",
        document: await documentOf(url, { kind: "read", reading: result.reading }, scrape, {
          ...parts,
          scrapeId: randomUUID(),
          stored: () => findPage(url, parts),
        }),
      }))
    } else await results.failure(failed(url, failureOf(result)))
  }
  return left
}

async function runBatch(
  request: BatchJobRequest,
  reader: Pick<Reader, "read">,
  parts: JobParts,
  turn: JobTurn,
): Promise<JobFrontier | null> {
  const { signal, results } = parts
  const { addresses, pace, scrape } = request
  const first = turn.from?.kind === "batch" ? addresses.length - turn.from.left : 0
  let begun = first
  const isOver = () => begun >= addresses.length || signal.aborted
  const work = async (): Promise<void> => {
    while (!isOver()) {
      if (begun > first && (await turn.isOver())) return
      // Another worker may have taken the last address.
      if (isOver()) return
      const address = addresses[begun]!
      begun += 1
      await keep(address.given, results, () =>
        readDocument(address, scrape, { ...parts, reader, scrapeId: randomUUID() }),
      )
    }
  }
  await Promise.all(Array.from({ length: pace.concurrency }, work))
  return begun < addresses.length && !signal.aborted
    ? { kind: "batch", left: addresses.length - begun }
    : null
}

/** Stores the result of `make`, or a failure if there is no result. */
async function keep(
  url: string,
  results: JobResults,
  make: () => Promise<
    | { readonly kind: "document"; readonly document: FirecrawlDocument }
    | { readonly kind: "failure"; readonly failure: ReturnType<typeof failureOf> }
  >,
): Promise<void> {
  const made = await make().catch((error: unknown) => {
    const message = unmadeReason(error)
    if (message === null) throw error
    return { kind: "failure", failure: { code: "SCRAPE_SITE_ERROR", message, isRobots: false } } as const
  })
  if (made.kind === "document") await results.document(url, made.document)
  else await results.failure(failed(url, made.failure))
}

const failed = (
  url: string,
  { code, message, isRobots }: Pick<ReturnType<typeof failureOf>, "code" | "message" | "isRobots">,
): StoredFailure => ({ id: randomUUID(), url, code, error: message, isRobots, at: new Date() })

/** Which links of a crawl are followed. */
async function linkTest(
  { url, wholeDomain, subdomains, external, withoutQueries }: CrawlJobRequest,
  reachable: AddressTest,
): Promise<AddressTest> {
  const { scopeOf } = await import("#crawler/crawl/scope/scope.ts")
  const start = new URL(url)
  const isOfDomain = scopeOf(url, "domain")
  const chosen = new Map<string, PageUrl>()
  return (link) => {
    if (!reachable(link)) return false
    if (!isOfDomain(link)) return external
    const to = new URL(link)
    if (!subdomains && bare(to) !== bare(start)) return false
    if (!wholeDomain && !to.pathname.startsWith(start.pathname)) return false
    if (!withoutQueries) return true
    const page = `${to.origin}${to.pathname}`
    const first = chosen.get(page) ?? link
    chosen.set(page, first)
    return first === link
  }
}

const bare = ({ host }: URL): string => host.replace(/^www\./, "")

/** Delays reads so that the job is no faster than allowed. */
function paced(
  reader: Pick<Reader, "read">,
  { delayMs, concurrency }: Pace,
  { isFirst: isFirstTurn, signal }: { readonly isFirst: boolean; readonly signal: AbortSignal },
): Pick<Reader, "read"> {
  const lanes = Array.from({ length: concurrency }, () => new Serial())
  let count = 0
  return {
    read: (url, options) => {
      const isFirst = count === 0 && isFirstTurn
      count += 1
      return lanes[count % lanes.length]!.run(async (): Promise<ReadResult> => {
        if (delayMs > 0 && !isFirst) await pause(delayMs, signal)
        return await reader.read(url, options)
      })
    },
  }
}
