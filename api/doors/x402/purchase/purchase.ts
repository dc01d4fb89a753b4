import { createHash } from "node:crypto"

import type { SoldRequest } from "../sold-call.ts"
import type { Payment } from "../payment.ts"

/** A purchase in progress. */
export interface Purchase {
  readonly payment: Payment
  readonly request: SoldRequest
  readonly fingerprint: string
  /** Milliseconds each step took. */
  readonly times: { verifyMs: number; searchMs: number; settleMs: number }
}

export const purchaseOf = (payment: Payment, request: SoldRequest): Purchase => ({
  payment,
  request,
  fingerprint: fingerprintOf(payment, request),
  times: { verifyMs: 0, searchMs: 0, settleMs: 0 },
})

/** The same authorization, signature and search have the same fingerprint, whatever the order of the fields. */
function fingerprintOf(payment: Payment, { identity }: SoldRequest): string {
  return createHash("sha256").update(`${payment.digest} ${identity}`).digest("hex")
}

/** The payer's account in lower case. */
export const payerOf = ({ payment }: Pick<Purchase, "payment">): string =>
  payment.authorization.from.toLowerCase()

/** Runs a step of a purchase and records how long it took, even if it fails. */
export async function timed<T>(
  { times }: Purchase,
  step: keyof Purchase["times"],
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    times[step] = performance.now() - start
  }
}
