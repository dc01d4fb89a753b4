/** For how long what a provider said of a person counts. */
export interface ProofLimits {
  /** After which a provider that can be asked is asked again; after twice that, what it said counts no more. */
  readonly refreshMs: number
  /** The same for one that can't be asked. */
  readonly unrenewedMs: number
}

/** `fresh`: it counts; `due`: it counts, and the provider is to be asked; `over`: it counts no more, until the provider is asked. */
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
