/** How long a provider's facts about a person are valid. */
export interface ProofLimits {
  /** A provider that can be asked is asked again after this time; after twice this time, its facts are no longer valid. */
  readonly refreshMs: number
  /** The facts of a provider that can't be asked are valid for this long. */
  readonly unrenewedMs: number
}

/**
 * `fresh`: the facts are valid; `due`: they are valid, but the provider should be asked again; `over`: they are invalid
 * until the provider has been asked.
 */
export type ProofAge = "fresh" | "due" | "over"

/** A clock that was temporarily ahead must not create a proof that lasts. */
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
