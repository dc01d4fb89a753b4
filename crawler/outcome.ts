import type { PageUrl } from "#engine"

/** Every way a visit to an address can end. The crawl summary is this union, counted. */
export type CrawlOutcome =
  | { readonly kind: "indexed"; readonly page: PageUrl }
  | { readonly kind: "unchanged"; readonly page: PageUrl }
  | {
      readonly kind: "skipped"
      readonly because: SkipReason
      readonly detail?: string
      /** The other address that a redirect or a canonical names. */
      readonly leadsTo?: PageUrl
    }
  /** Asked to come back later (429, 503, Retry-After); `until` is by `steadyNow()`. */
  | { readonly kind: "postponed"; readonly until: Date; readonly status?: number }
  | {
      readonly kind: "failed"
      readonly because: FailureReason
      readonly detail: string
      /** Of an answer with an error status. */
      readonly status?: number
    }

export type SkipReason =
  | "robots" // robots.txt disallows it
  | "noindex" // meta robots or X-Robots-Tag
  | "out-of-scope" // a redirect or canonical left the scope
  | "logout" // visiting it would end the crawler's own login
  | "duplicate" // another address of a page that is kept
  | "trap" // one of a series of addresses that gave nothing new any more
  | "soft-404" // says or shows that it is not there, though with status 200
  | "gone" // it was in the content of the source, and is there no longer
  | "unsupported-type" // no text we can read
  | "undecodable" // a document that draws letters without naming them
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
  | "bad-encoding" // the answer was cut off, or its compression is damaged
  | "unreadable" // a worker could not read the body
  | "crashed" // the process that read it was lost with it
  | "cancelled"

/** In the detail of an outcome when only a part of the answer came. */
export const CUT_OFF = "the answer was cut off"
