import type { ReadResult } from "#crawler"
import type { PageUrl } from "#engine"

import type { ChatModel } from "../../../services/chat-models/chat-model.ts"
import { findPage } from "../../../core/read/find-page.ts"
import { type ObtainParts, readOrStored } from "../../../core/read/read-or-stored.ts"
import { failureText, TIMED_OUT } from "../../../core/read/failure-text.ts"
import { documentOf, type FirecrawlDocument, isOfIndex } from "./document.ts"
import type { ScrapeRequest } from "../scrape-request.ts"

/** Why there is no document. */
export interface ScrapeFailure {
  /** The code by which Firecrawl's clients distinguish failures. */
  readonly code: string
  readonly message: string
  /** Status of an answer that consists only of this failure. */
  readonly status: number
  readonly isRobots: boolean
}

export type Scraped =
  | { readonly kind: "document"; readonly document: FirecrawlDocument }
  | {
      readonly kind: "failure"
      readonly failure: ScrapeFailure
      /** Why the page could not be read; null if there was no time to read it. */
      readonly unread: ReadResult | null
    }

export interface ScrapeParts extends ObtainParts {
  readonly chatModel: ChatModel | null
  readonly signal: AbortSignal
  readonly scrapeId: string
}

/** Reads one address and turns its page into a document: from the index if that version is new enough, otherwise live. */
export async function readDocument(
  { given, url }: { readonly given: string; readonly url: PageUrl },
  request: ScrapeRequest,
  parts: ScrapeParts,
): Promise<Scraped> {
  const { formats, waitMs } = request
  const wanted = { maxAgeMs: waitMs === 0 ? request.maxAgeMs : 0, isOfIndex: isOfIndex(formats) }
  const { material, unread } = await readOrStored(url, readOptions(request, parts.signal), wanted, parts)
  if (material === null) {
    return { kind: "failure", failure: unread === null ? LATE : failureOf(unread), unread }
  }
  const noted =
    unread === null
      ? request
      : { ...request, warnings: [...request.warnings, `From the index: ${failureText(unread)}.`] }
  try {
    const document = await documentOf(given, material, noted, {
      ...parts,
      stored: () => findPage(url, parts),
    })
    return { kind: "document", document }
  } catch (error) {
    if (parts.signal.aborted) return { kind: "failure", failure: LATE, unread }
    throw error
  }
}

/** The options for the reader, taken from a request. */
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

/** The failure with the code and status that Firecrawl's own server uses; for a host name that does not resolve, that status is 200. */
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
