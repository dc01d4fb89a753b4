import { steadyNow } from "#base/steady-time.ts"
import { isMissing, isSkip, outcomeName } from "../../outcome-name.ts"
import type { Visited } from "../frontier/known-addresses.ts"
import type { Visit } from "../../reading.ts"
import type { NoPage } from "./verdict.ts"

/** A visit that found nothing to read. */
export type Unread = Exclude<Visit, { kind: "read" | "unmodified" }>

const IN_VAIN = new Set<string>(["dns", "refused", "timeout", "tls"])
/** Status codes of a page that is gone, and of a gateway that cannot reach the server behind it. */
const GONE = 410
const GATEWAY = new Set<number | undefined>([502, 504])

/** Whether the host gave an answer; its earlier robots.txt does not count. */
export function isAnswer(visit: Visit): boolean {
  if (visit.kind === "skipped") return visit.because !== "robots"
  return visit.kind === "read" || visit.kind === "unmodified" || !isInVain(visit)
}

/** Whether the visit returned nothing about the page. */
export function isInVain(visit: Unread): boolean {
  if (visit.kind === "postponed") return true
  if (visit.kind !== "failed") return false
  // The time spent reading the page on this side does not count against the host.
  if (visit.because === "timeout") return visit.transient && visit.status === undefined
  return IN_VAIN.has(visit.because) || GATEWAY.has(visit.status)
}

/** Whether an address is certainly not a page, rather than just unreachable. */
export function isNoPage({ outcome, status }: Visited): boolean {
  return isSkip(outcome) || isMissing(status)
}

/** The recorded form of an ending without a page. */
export function recordOf(outcome: NoPage): Omit<Visited, "url"> {
  return {
    outcome: outcomeName(outcome),
    detail: detailOf(outcome),
    status: statusOf(outcome),
    leadsTo: outcome.kind === "skipped" ? outcome.leadsTo : undefined,
  }
}

/** A file that has left its folder is as certainly gone as a page for which a server answers 410. */
function statusOf(outcome: NoPage): number | undefined {
  if (outcome.kind === "failed") return outcome.status
  return outcome.kind === "skipped" && outcome.because === "gone" ? GONE : undefined
}

export function detailOf(outcome: NoPage): string | null {
  if (outcome.kind !== "postponed") return outcome.detail ?? null
  // Details show wall-clock time, which may have been changed since the process began.
  const until = new Date(Date.now() + outcome.until.getTime() - steadyNow())
  return `${outcome.status === undefined ? "" : `the site answered ${outcome.status}, `}until ${until.toISOString()}`
}
