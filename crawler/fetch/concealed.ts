import type { OutcomeCounts, OutcomeName } from "../outcome-name.ts"
import { BlockedAddressError } from "./guard/blocked-address.ts"
import { isUnknownName } from "./network-error.ts"
import { pause } from "#base/flow/pause.ts"

// Only the operator may learn whether a name is unknown or resolves to a private network; commands and the log say it. An API caller
// could otherwise probe for the names of this network one by one, so both cases get the same words after the same time.

/** The message for a host that has no address, or none that may be read. */
export const UNREACHABLE_HOST = "the host was not found, or is in a network that may not be read"

/** A name server here answers long before, and most of those elsewhere do. */
const TELLING_MS = 500

const REFUSED = "failed:blocked-address" satisfies OutcomeName
const UNKNOWN = "failed:dns" satisfies OutcomeName

/** How a visit ended, for callers of the API. */
export function concealedEnd<E extends { readonly outcome: OutcomeName; readonly detail: string | null }>(
  end: E,
): E {
  const isConcealed = end.outcome === REFUSED || end.outcome === UNKNOWN
  return isConcealed ? { ...end, outcome: UNKNOWN, detail: UNREACHABLE_HOST } : end
}

/**
 * A visit as callers of the API may know it. Both kinds count as such that may end otherwise in a minute: a name server
 * that fails for now must not differ either, and a crawl outlasts its restart.
 */
export function concealedVisit<V extends { readonly kind: string }>(visit: V): V {
  if (!isRefusedOrUnknown(visit)) return visit
  return { ...visit, because: "dns", detail: UNREACHABLE_HOST, transient: true }
}

/** Whether a visit ended at a name that is unknown, or leads where nothing may be read. */
export function isRefusedOrUnknown(visit: { readonly kind: string; readonly because?: unknown }): boolean {
  return visit.kind === "failed" && (visit.because === "dns" || visit.because === "blocked-address")
}

/** Visits by outcome, for callers of the API. */
export function concealedCounts(outcomes: OutcomeCounts): OutcomeCounts {
  const { [REFUSED]: refused, ...others } = outcomes
  return refused === undefined ? outcomes : { ...others, [UNKNOWN]: (others[UNKNOWN] ?? 0) + refused }
}

/** The outcomes that callers of the API know as this one. */
export const concealedAs = (name: OutcomeName): readonly OutcomeName[] =>
  name === UNKNOWN ? [UNKNOWN, REFUSED] : [name]

/** Why a run ended, for API callers: without details from name servers and the address guard. */
export function concealedMessage(error: Error): string {
  const { cause } = error
  const isConcealed = cause instanceof Error && (cause instanceof BlockedAddressError || isUnknownName(cause))
  return isConcealed ? UNREACHABLE_HOST : error.message
}

/** Resolves when `startedAt` (of `performance.now()`) is long enough ago for the time to tell nothing. */
export async function untilTold(startedAt: number, signal?: AbortSignal): Promise<void> {
  const left = startedAt + TELLING_MS - performance.now()
  if (left > 0) await pause(left, signal)
}
