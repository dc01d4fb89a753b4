import type { OutcomeCounts, OutcomeName } from "../outcome-name.ts"
import { BlockedAddressError } from "./guard/blocked-address.ts"
import { isUnknownName } from "./network-error.ts"
import { pause } from "#base/flow/pause.ts"

// Gives API callers the same answer, after the same time, whether a name is unknown or resolves to a private network.
// Otherwise they could probe for the names in this network one by one. Only the operator may learn which of the two is
// the case: commands and the log show it.

/** The message for a host that has no address, or none that may be read. */
export const UNREACHABLE_HOST = "the host was not found, or is in a network that may not be read"

/** Time after which an answer reveals nothing. A local name server answers well before this, and so do most others. */
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
 * A visit as callers of the API may see it. An unknown name and a forbidden address both count as temporary errors: a
 * name server that is failing for the moment must look the same too, and a crawl should survive a restart of the name
 * server.
 */
export function concealedVisit<V extends { readonly kind: string }>(visit: V): V {
  if (!isRefusedOrUnknown(visit)) return visit
  return { ...visit, because: "dns", detail: UNREACHABLE_HOST, transient: true }
}

/** Whether a visit ended at a name that is unknown, or that resolves to a forbidden address. */
export function isRefusedOrUnknown(visit: { readonly kind: string; readonly because?: unknown }): boolean {
  return visit.kind === "failed" && (visit.because === "dns" || visit.because === "blocked-address")
}

/** Number of visits by outcome, for callers of the API. */
export function concealedCounts(outcomes: OutcomeCounts): OutcomeCounts {
  const { [REFUSED]: refused, ...others } = outcomes
  return refused === undefined ? outcomes : { ...others, [UNKNOWN]: (others[UNKNOWN] ?? 0) + refused }
}

/** The real outcomes that callers of the API see as `failed:dns`. */
export const concealedAs = (name: OutcomeName): readonly OutcomeName[] =>
  name === UNKNOWN ? [UNKNOWN, REFUSED] : [name]

/** Why a run ended, for API callers: without details from name servers and the address guard. */
export function concealedMessage(error: Error): string {
  const { cause } = error
  const isConcealed = cause instanceof Error && (cause instanceof BlockedAddressError || isUnknownName(cause))
  return isConcealed ? UNREACHABLE_HOST : error.message
}

/** Resolves once enough time has passed since `startedAt` (from `performance.now()`) that the duration reveals nothing. */
export async function untilTold(startedAt: number, signal?: AbortSignal): Promise<void> {
  const left = startedAt + TELLING_MS - performance.now()
  if (left > 0) await pause(left, signal)
}
