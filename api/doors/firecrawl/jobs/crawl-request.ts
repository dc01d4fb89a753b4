import type { PageUrl } from "#engine"

import { liveUrl } from "../../../core/read/live-url.ts"
import type { FieldReader } from "../../../server/wire/fields.ts"
import type { Version } from "../documents/formats.ts"
import { type JobWebhook, readWebhook } from "../webhooks/job-webhook.ts"
import {
  MAX_URL_CHARS,
  readScrapeOptions,
  readSitemap,
  readUrl,
  type ScrapeRequest,
  type SitemapMode,
} from "../scrape-request.ts"

/** A job's request, as stored. */
export type JobRequest = CrawlJobRequest | BatchJobRequest

export interface CrawlJobRequest {
  readonly kind: "crawl"
  readonly given: string
  readonly url: PageUrl
  readonly limit: number
  readonly maxDepth: number
  readonly includePaths: readonly string[]
  readonly excludePaths: readonly string[]
  /** Whether to include pages beside and above the start, and not only those below it. */
  readonly wholeDomain: boolean
  readonly subdomains: boolean
  readonly external: boolean
  /** Whether to read only one of several addresses that differ only in their parameters. */
  readonly withoutQueries: boolean
  readonly sitemap: SitemapMode
  readonly pace: Pace
  readonly scrape: ScrapeRequest
  readonly webhook: JobWebhook | null
}

export interface BatchJobRequest {
  readonly kind: "batch"
  readonly addresses: readonly { readonly given: string; readonly url: PageUrl }[]
  readonly pace: Pace
  readonly scrape: ScrapeRequest
  readonly webhook: JobWebhook | null
}

/** How fast a job may go. */
export interface Pace {
  /** Milliseconds between pages, which are then read one at a time; 0 for no delay. */
  readonly delayMs: number
  readonly concurrency: number
}

const MAX_LIMIT = 100_000
const DEFAULT_LIMIT = 10_000
const MAX_DEPTH = 1000
const MAX_PATTERNS = 100
const MAX_PATTERN_CHARS = 1000
const MAX_DELAY_SECONDS = 60
/** Number of a job's pages read at the same time: as many as a live crawl reads. */
export const CONCURRENCY = 6
export const MAX_BATCH = 1000

/** Reads the body of POST /v1/crawl, /v2/crawl. @throws ApiError 400 naming the field */
export function readCrawl(body: FieldReader, version: Version): CrawlJobRequest {
  const { given, url } = readUrl(body)
  const limit = body.number("limit", 1, MAX_LIMIT) ?? DEFAULT_LIMIT
  const depth = (name: string) => body.number(name, 0, MAX_DEPTH)
  const maxDepth =
    (version === 1 ? (depth("maxDiscoveryDepth") ?? depth("maxDepth")) : depth("maxDiscoveryDepth")) ??
    MAX_DEPTH
  const patterns = (name: string) => body.strings(name, MAX_PATTERNS, MAX_PATTERN_CHARS) ?? []
  const wholeDomain =
    body.boolean("crawlEntireDomain") ?? (version === 1 ? body.boolean("allowBackwardLinks") : undefined)
  const includePaths = patterns("includePaths")
  const excludePaths = patterns("excludePaths")
  const subdomains = body.boolean("allowSubdomains") ?? false
  const external = body.boolean("allowExternalLinks") ?? false
  const withoutQueries = body.boolean("ignoreQueryParameters") ?? false
  const pace = readPace(body)
  const options = body.object("scrapeOptions")
  const scrape = readScrapeOptions(options ?? body.part(), version)
  options?.end()
  const sitemap = readSitemap(body, version, "include")
  const webhook = restOfJob(body)
  // Addresses that differ only in spelling count as one here.
  body.passedOver("deduplicateSimilarURLs")
  body.only([], ["prompt"], "Use includePaths, excludePaths and maxDiscoveryDepth instead.")
  body.only([false], ["ignoreRobotsTxt"], "robots.txt is always obeyed.")
  body.only([], ["robotsUserAgent"], "The appliance uses the same user agent for all sites.")
  body.only([false], ["regexOnFullURL"], "Patterns are matched against paths.")
  body.end()
  return {
    kind: "crawl",
    given,
    url,
    limit,
    maxDepth,
    includePaths,
    excludePaths,
    wholeDomain: wholeDomain ?? false,
    subdomains,
    external,
    withoutQueries,
    sitemap,
    pace,
    scrape,
    webhook,
  }
}

/**
 * Reads the body of POST /v1/batch/scrape, /v2/batch/scrape.
 * @returns the request, and the invalid addresses if they don't cause a refusal
 */
export function readBatch(
  body: FieldReader,
  version: Version,
): { readonly request: BatchJobRequest; readonly invalid: readonly string[] | null } {
  const urls = body.strings("urls", MAX_BATCH, MAX_URL_CHARS)
  if (urls === undefined || urls.length === 0) throw body.refusal("urls", "Must be a list of addresses.")
  const mayIgnore = body.boolean("ignoreInvalidURLs") ?? version === 2
  const read = urls.map((given) => ({ given, url: liveUrl(given) }))
  const invalid = read.filter(({ url }) => url === null).map(({ given }) => given)
  if (invalid.length > 0 && !mayIgnore) {
    throw body.refusal("urls", `${JSON.stringify(invalid[0]!.slice(0, 200))} isn't an http or https address.`)
  }
  const addresses = read.flatMap(({ given, url }) => (url === null ? [] : [{ given, url }]))
  if (addresses.length === 0) throw body.refusal("urls", "None of them is an http or https address.")
  const pace = readPace(body)
  const scrape = readScrapeOptions(body, version)
  const webhook = restOfJob(body)
  body.only([], ["appendToId"], "Addresses can't be added to a job that has started.")
  body.end()
  return { request: { kind: "batch", addresses, pace, scrape, webhook }, invalid: mayIgnore ? invalid : null }
}

function readPace(body: FieldReader): Pace {
  const delay = body.number("delay", 0, MAX_DELAY_SECONDS, false) ?? 0
  const concurrency = body.number("maxConcurrency", 1, 10_000) ?? CONCURRENCY
  return { delayMs: delay * 1000, concurrency: delay > 0 ? 1 : Math.min(concurrency, CONCURRENCY) }
}

function restOfJob(body: FieldReader): JobWebhook | null {
  body.passedOver("origin", "integration", "auditMetadata")
  body.only([false], ["zeroDataRetention"], "The documents of a job are kept until they expire.")
  return readWebhook(body)
}
