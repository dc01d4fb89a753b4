/** How long a provider's facts about a person count. */
export interface ProofLimits {
  /** A provider that can be asked is asked again after this time; after twice that, its facts no longer count. */
  readonly refreshMs: number
  /** The same for one that can't be asked. */
  readonly unrenewedMs: number
}

/**
 * `fresh`: they count; `due`: they count, and it is time to ask the provider; `over`: they no longer count until the
 * provider is asked.
 */
export type ProofAge = "fresh" | "due" | "over"

/** A clock that was ahead for a while makes no proof that lasts. */
const AHEAD_MS = 60_000

export function proofAge(
  { provedAt, isRenewable }: { readonly provedAt: Date; readonly isRenewable: boolean },
  { refreshMs, unrenewedMs }: ProofLimits,
  now = Date.now(),
): ProofAge {
  const age = now - provedAt.getTime()
  if (age < -AHEAD_MS) return "over"
  if (!isRenewable) return age < unrenewedMs ? "fresh" : "over"
  if (age < refreshMs) return "fresh"
  return age < 2 * refreshMs ? "due" : "over"
}
