import type { PageUrl } from "#engine"
import { isLoginError } from "../../fetch/login/login-error.ts"
import { isFailure, isMissing, isSkip, type OutcomeName } from "../../outcome-name.ts"
import type { Step, StepName } from "./step.ts"
import type { Trace } from "./trace.ts"

/**
 * Why an address is not a page in the index, in one word:
 * - `not-crawled`: it belongs to a source, and no run has read it yet.
 * - `out-of-scope`: it belongs to no source, or redirects out of its source.
 * - `robots`, `noindex`: the site asks for it to be left out.
 * - `removed`: it was in the index.
 * - `not-found`: the site says that there is no such page.
 * - `login-failed`: the crawler could not log in.
 * - `logout`: it is a logout link of a site that the crawler is logged in to.
 * - `other-address`: another address is indexed in its place.
 * - `trap`: it is one of a series of addresses that no longer contained anything new.
 * - `unreadable`: it was fetched, but no text could be extracted from it.
 * - `unreachable`: the site did not deliver it.
 * - `lost`: the index should contain it, but does not.
 */
export type MissCause = (typeof MISS_CAUSES)[number]

export const MISS_CAUSES = [
  "not-crawled",
  "out-of-scope",
  "robots",
  "noindex",
  "removed",
  "not-found",
  "login-failed",
  "logout",
  "other-address",
  "trap",
  "unreadable",
  "unreachable",
  "lost",
] as const

/** Why an address is not a page in the index. */
export interface Missing {
  readonly cause: MissCause
  /** When the page was removed, or when it was left out at a visit; null if it was never visited. */
  readonly at: Date | null
  /** Why a removed page was removed: a `RemovalReason`, or how a visit ended. */
  readonly reason: string | null
  /** The address under which the page is indexed; null if there is none. */
  readonly heldAs: PageUrl | null
}

/** The cause that follows from a trace; null for a page in the index. */
export function causeOf({ inIndex, steps }: Trace): Missing | null {
  if (inIndex) return null
  const stepOf = (name: StepName) => steps.find((step) => step.name === name)
  const removal = stepOf("removal")
  if (removal?.verdict === "no") {
    const { at, reason } = removal.facts as { at: Date; reason: string }
    return { cause: "removed", at, reason, heldAs: null }
  }
  const heldAs = heldUnder(stepOf("duplicates"))
  if (heldAs !== null) return { cause: "other-address", at: null, reason: null, heldAs }
  const outcome = stepOf("outcome")
  const cause =
    outcome === undefined ? unvisited(stepOf("source"), stepOf("found")) : visited(outcome, stepOf("source"))
  const { visited_at: at = null, outcome: reason = null } = (outcome?.facts ?? {}) as {
    visited_at?: Date
    outcome?: OutcomeName
  }
  return { cause, at, reason, heldAs: null }
}

function heldUnder(step: Step | undefined): PageUrl | null {
  const { leads_to: to, target_in_index: isHeld } = (step?.facts ?? {}) as {
    leads_to?: PageUrl
    target_in_index?: boolean
  }
  return to !== undefined && isHeld === true ? to : null
}

interface SourceFacts {
  readonly sources?: readonly { readonly belongs: boolean }[]
  readonly failed_runs?: readonly { readonly error: string | null }[]
}

const wasNotLetIn = ({ failed_runs: failed = [] }: SourceFacts): boolean =>
  failed.some(({ error }) => isLoginError(error))

function unvisited(source: Step | undefined, found: Step | undefined): MissCause {
  // The address is in the frontier of a run, regardless of what today's sources cover.
  if (found?.facts["job_state"] !== undefined) return "not-crawled"
  const facts: SourceFacts = source?.facts ?? {}
  if (!facts.sources?.some(({ belongs }) => belongs)) return "out-of-scope"
  return wasNotLetIn(facts) ? "login-failed" : "not-crawled"
}

const BY_OUTCOME: Readonly<Partial<Record<OutcomeName, MissCause>>> = {
  "skipped:robots": "robots",
  "skipped:noindex": "noindex",
  "skipped:out-of-scope": "out-of-scope",
  "skipped:logout": "logout",
  "skipped:soft-404": "not-found",
  "skipped:gone": "not-found",
  "skipped:duplicate": "other-address",
  "skipped:trap": "trap",
  "failed:bad-encoding": "unreadable",
  "failed:unreadable": "unreadable",
  "failed:crashed": "unreadable",
  "failed:cancelled": "not-crawled",
}

function visited({ facts }: Step, source: Step | undefined): MissCause {
  const { outcome, status } = facts as { outcome: OutcomeName; status: number | null }
  return causeOfOutcome(outcome, status, wasNotLetIn(source?.facts ?? {}))
}

/** Why a visit with this outcome, and this HTTP status for an error response, keeps a page out of the index. */
export function causeOfOutcome(
  outcome: OutcomeName,
  status: number | null,
  wasLoginRefused = false,
): MissCause {
  const told = BY_OUTCOME[outcome]
  if (told !== undefined) return told
  if (isMissing(status)) return "not-found"
  if (status === 401 || (isFailure(outcome) && wasLoginRefused)) return "login-failed"
  if (isFailure(outcome) || outcome === "postponed") return "unreachable"
  return isSkip(outcome) ? "unreadable" : "lost"
}
