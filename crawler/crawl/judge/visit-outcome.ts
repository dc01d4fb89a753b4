import { isMissing, isSkip, outcomeName } from "../../outcome-name.ts"
import type { Visited } from "../../frontier/known-addresses.ts"
import type { Visit } from "../../reading.ts"
import type { NoPage } from "./verdict.ts"

/** A visit that brought nothing to read. */
export type Unread = Exclude<Visit, { kind: "read" | "unmodified" }>

const IN_VAIN = new Set<string>(["dns", "refused", "timeout", "tls"])

/** Whether the host had something to say; what its robots.txt said before does not count. */
export function isAnswer(visit: Visit): boolean {
  if (visit.kind === "skipped") return visit.because !== "robots"
  if (visit.kind === "failed") return !IN_VAIN.has(visit.because)
  return visit.kind !== "postponed"
}

/** Whether nothing came back that tells of the page. */
export function isInVain(visit: Unread): boolean {
  return visit.kind === "postponed" || (visit.kind === "failed" && IN_VAIN.has(visit.because))
}

/** Whether an address is surely no page, and not only out of reach. */
export function isNoPage({ outcome, status }: Visited): boolean {
  return isSkip(outcome) || isMissing(status)
}

/** An ending without a page as it is recorded. */
export function recordOf(outcome: NoPage): Omit<Visited, "url"> {
  return {
    outcome: outcomeName(outcome),
    detail: detailOf(outcome),
    status: outcome.kind === "failed" ? outcome.status : undefined,
    leadsTo: outcome.kind === "skipped" ? outcome.leadsTo : undefined,
  }
}

export function detailOf(outcome: NoPage): string | null {
  return outcome.kind === "postponed" ? `until ${outcome.until.toISOString()}` : (outcome.detail ?? null)
}
