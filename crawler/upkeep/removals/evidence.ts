import type { OutcomeName } from "../../outcome-name.ts"
import type { Job } from "../../job.ts"
import type { KnownAddress } from "../../crawl/frontier/known-addresses.ts"

/**
 * Why a page is considered gone:
 * - `not-found`: 404. `gone`: 410, or no longer in the content of its source.
 * - `noindex`: it asks not to be indexed. `robots`: robots.txt disallows it now.
 * - `out-of-scope`: it no longer belongs to its source.
 * - `moved`: its address redirects to a page that is in the index.
 * - `leads-elsewhere`: it redirects to something else: the front page, a login page, another site.
 */
export type RemovalReason =
  | "not-found"
  | "gone"
  | "noindex"
  | "robots"
  | "out-of-scope"
  | "moved"
  | "leads-elsewhere"

/** Evidence against an indexed page, from a visit that found no page. */
export interface Evidence {
  readonly reason: RemovalReason
  /** Whether one run is enough; if not, two runs must agree. */
  readonly atOnce: boolean
}

/**
 * The evidence in an outcome, or `null` if it proves nothing. Only the site's response for this exact address is
 * evidence. Failures (5xx, timeouts, names that don't resolve, 429) are not, nor are pages that were empty or
 * unreadable, nor "not found" with status 200. Nor are 401 and 403: they say who may read a page, not that it is gone,
 * and firewalls send them to crawlers they want to keep out.
 */
export function evidenceOf(
  { outcome, status, leadsTo }: Pick<KnownAddress, "outcome" | "status" | "leadsTo">,
  trigger: Job["trigger"],
): Evidence | null {
  if (outcome === "failed:http-status") {
    if (status === 410) return { reason: "gone", atOnce: true }
    return status === 404 ? { reason: "not-found", atOnce: false } : null
  }
  // The response from a redirect's target is about the target, not this page: it could be a login page with noindex.
  if (leadsTo !== null) return LEADING.has(outcome) ? { reason: "leads-elsewhere", atOnce: false } : null
  if (outcome === "skipped:gone") return { reason: "gone", atOnce: true }
  if (outcome === "skipped:noindex") return { reason: "noindex", atOnce: true }
  if (outcome === "skipped:robots") return { reason: "robots", atOnce: false }
  // A narrow crawl started by hand must not remove pages that a wider one added.
  if (outcome === "skipped:out-of-scope" && trigger !== "command") {
    return { reason: "out-of-scope", atOnce: false }
  }
  return null
}

const LEADING: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  "skipped:noindex",
  "skipped:robots",
  "skipped:out-of-scope",
  "skipped:duplicate",
  "skipped:soft-404",
])
