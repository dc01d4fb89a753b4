import { unlessAborted } from "#base/flow/unless-aborted.ts"
import type { Reader, ReadResult } from "#crawler"
import type { PageUrl } from "#engine"

import type { Reach } from "../../accounts/reach/reach.ts"
import type { ChatModel } from "../../chat-models/chat-model.ts"
import { findPage } from "../../pages/find-page.ts"
import type { PageKnowledge } from "../../pages/page-knowledge.ts"
import { lastCheck } from "../../core/ask/last-check.ts"
import { failureText, TIMED_OUT } from "../../core/read/failure-text.ts"
import { documentOf, type FirecrawlDocument, isOfIndex, type Material } from "./document.ts"
import type { ScrapeRequest } from "../scrape-request.ts"

/** Why there is no document. */
export interface ScrapeFailure {
  /** As Firecrawl's clients tell failures apart. */
  readonly code: string
  readonly message: string
  /** Of an answer in which this is all there is. */
  readonly status: number
  readonly isRobots: boolean
}

export type Scraped =
  | { readonly kind: "document"; readonly document: FirecrawlDocument; readonly result: ReadResult | null }
  | { readonly kind: "failure"; readonly failure: ScrapeFailure; readonly result: ReadResult | null }

export interface ScrapeParts {
  readonly reach: Pick<Reach, "page" | "limits">
  readonly reader: Pick<Reader, "read">
  readonly knowledge: PageKnowledge
  readonly chatModel: ChatModel | null
  readonly signal: AbortSignal
  readonly scrapeId: string
}

/** Reads one address and makes a document of it: from the index where that is new enough, else live. */
export async function readDocument(
  { given, url }: { readonly given: string; readonly url: PageUrl },
  request: ScrapeRequest,
  parts: ScrapeParts,
): Promise<Scraped> {
  const { signal } = parts
  const stored = () => findPage(url, parts)
  if (request.maxAgeMs > 0 && request.waitMs === 0 && isOfIndex(request.formats)) {
    const page = await stored()
    const checkedAt = page && lastCheck(page, parts.knowledge)
    if (page && checkedAt && Math.abs(Date.now() - checkedAt.getTime()) <= request.maxAgeMs) {
      return await made(given, { kind: "stored", page, checkedAt }, request, { ...parts, stored }, null)
    }
  }
  const result = await unlessAborted(parts.reader.read(url, readOptions(request, signal)), signal)
  if (result === null) return { kind: "failure", failure: LATE, result }
  if (result.kind === "read") {
    return await made(given, { kind: "read", reading: result.reading }, request, { ...parts, stored }, result)
  }
  // Behind a login, in a network that live calls may not reach, of a site that is down: a crawl may have read it.
  const page = isOfIndex(request.formats) ? await stored() : null
  if (page === null) return { kind: "failure", failure: failureOf(result), result }
  const checkedAt = lastCheck(page, parts.knowledge)
  const noted = { ...request, warnings: [...request.warnings, `From the index: ${failureText(result)}.`] }
  return await made(given, { kind: "stored", page, checkedAt }, noted, { ...parts, stored }, result)
}

async function made(
  given: string,
  material: Material,
  request: ScrapeRequest,
  parts: Parameters<typeof documentOf>[3],
  result: ReadResult | null,
): Promise<Scraped> {
  try {
    return { kind: "document", document: await documentOf(given, material, request, parts), result }
  } catch (error) {
    if (parts.signal.aborted) return { kind: "failure", failure: LATE, result }
    throw error
  }
}

/** How the reader is asked for what a request needs. */
export function readOptions({ formats, rendering, waitMs }: ScrapeRequest, signal: AbortSignal) {
  return {
    signal,
    rendering,
    ...(formats.rawHtml && { withHtml: true }),
    ...(formats.screenshot !== null && { screenshot: formats.screenshot }),
    ...(waitMs > 0 && { settleMs: waitMs }),
  }
}

const LATE: ScrapeFailure = { code: "SCRAPE_TIMEOUT", message: TIMED_OUT, status: 408, isRobots: false }

/** Codes and statuses as Firecrawl's own server gives them: a name that is not there is answered 200. */
export function failureOf(result: Exclude<ReadResult, { kind: "read" }>): ScrapeFailure {
  const message = failureText(result)
  const failure = (code: string, status = 500): ScrapeFailure => ({ code, message, status, isRobots: false })
  if (result.kind === "skipped") {
    if (result.because === "unsupported-type") return failure("SCRAPE_UNSUPPORTED_FILE_ERROR")
    if (result.because === "out-of-scope") return failure("SCRAPE_NOT_ALLOWED", 403)
    return { ...failure("SCRAPE_SITE_ERROR"), isRobots: result.because === "robots" }
  }
  if (result.kind === "postponed") return failure("SCRAPE_SITE_ERROR")
  switch (result.because) {
    case "dns":
      return failure("SCRAPE_DNS_RESOLUTION_ERROR", 200)
    case "tls":
      return failure("SCRAPE_SSL_ERROR")
    case "blocked-address":
      return failure("SCRAPE_NOT_ALLOWED", 403)
    case "timeout":
    case "cancelled":
      return LATE
    default:
      return failure("SCRAPE_SITE_ERROR")
  }
}
