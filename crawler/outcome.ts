import type { PageUrl } from "#engine"

/** Every way a visit to an address can end. The crawl summary counts visits by these outcomes. */
export type CrawlOutcome =
  | { readonly kind: "indexed"; readonly page: PageUrl }
  | { readonly kind: "unchanged"; readonly page: PageUrl }
  | {
      readonly kind: "skipped"
      readonly because: SkipReason
      readonly detail?: string
      /** The other address that a redirect or a canonical link names. */
      readonly leadsTo?: PageUrl
    }
  /** The site asked us to come back later (429, 503, Retry-After); `until` is measured by `steadyNow()`. */
  | { readonly kind: "postponed"; readonly until: Date; readonly status?: number }
  | {
      readonly kind: "failed"
      readonly because: FailureReason
      readonly detail: string
      /** Present only for a response with an error status. */
      readonly status?: number
    }

export type SkipReason =
  | "robots" // robots.txt disallows it
  | "noindex" // meta robots or X-Robots-Tag
  | "out-of-scope" // a redirect or canonical left the scope
  | "logout" // visiting it would end the crawler's own login
  | "duplicate" // another address of a page that is kept
  | "trap" // one of a series of addresses that stopped yielding anything new
  | "soft-404" // the page says or implies that nothing is there, although its status is 200
  | "gone" // used to be in the content of the source, but no longer is
  | "unsupported-type" // no text that we can read
  | "undecodable" // a document that displays letters without saying which characters they are
  | "too-large"
  | "empty" // no main content found

export type FailureReason =
  | "http-status" // 4xx, 5xx
  | "dns"
  | "refused" // connection refused or reset
  | "tls"
  | "timeout"
  | "redirect-loop"
  | "blocked-address" // the address guard refused it
  | "bad-encoding" // the response was cut off, or its compression is corrupt
  | "unreadable" // a worker could not read the body
  | "crashed" // the process that was reading it was lost
  | "cancelled"

/** The detail of an outcome when only part of the response arrived. */
export const CUT_OFF = "the answer was cut off"
