import type { OutcomeName } from "../../outcome-name.ts"
import type { Job } from "../../job.ts"
import type { KnownAddress } from "../../crawl/frontier/known-addresses.ts"

/**
 * Why a page is held to be gone:
 * - `not-found`: 404. `gone`: 410, or no longer in the content of its source.
 * - `noindex`: it asks not to be indexed. `robots`: robots.txt disallows it now.
 * - `out-of-scope`: it belongs to its source no more.
 * - `moved`: its address leads to a page that the index holds.
 * - `leads-elsewhere`: it leads to something else: the front page, a login page, another site.
 */
export type RemovalReason =
  | "not-found"
  | "gone"
  | "noindex"
  | "robots"
  | "out-of-scope"
  | "moved"
  | "leads-elsewhere"

/** What a visit that found no page shows about the page in the index. */
export interface Evidence {
  readonly reason: RemovalReason
  /** Whether once is enough; else two runs must say so. */
  readonly atOnce: boolean
}

/**
 * The proof in an outcome, or null when it proves nothing. Only the site's answer for this very address is proof.
 * Trouble is none (5xx, timeouts, names that do not resolve, 429), nor are pages that came out empty or unreadable,
 * nor "not found" said with status 200. Nor are 401 and 403: they say who may read a page, not that it is gone, and a
 * firewall sends them to a crawler that it dislikes.
 */
export function evidenceOf(
  { outcome, status, leadsTo }: Pick<KnownAddress, "outcome" | "status" | "leadsTo">,
  trigger: Job["trigger"],
): Evidence | null {
  if (outcome === "failed:http-status") {
    if (status === 410) return { reason: "gone", atOnce: true }
    return status === 404 ? { reason: "not-found", atOnce: false } : null
  }
  // A redirect's target speaks for itself, not for this page: it may be a login page with noindex.
  if (leadsTo !== null) return LEADING.has(outcome) ? { reason: "leads-elsewhere", atOnce: false } : null
  if (outcome === "skipped:gone") return { reason: "gone", atOnce: true }
  if (outcome === "skipped:noindex") return { reason: "noindex", atOnce: true }
  if (outcome === "skipped:robots") return { reason: "robots", atOnce: false }
  // A narrow crawl by hand must not remove pages that a wider one brought in.
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
