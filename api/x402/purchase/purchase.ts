import { createHash } from "node:crypto"

import type { PreparedSearch } from "../../tavily/prepare.ts"
import type { Payment } from "../payment.ts"

/** A purchase under way. */
export interface Purchase {
  readonly payment: Payment
  readonly prepared: PreparedSearch
  readonly fingerprint: string
  /** Milliseconds each step took. */
  readonly times: { verifyMs: number; searchMs: number; settleMs: number }
}

export const purchaseOf = (payment: Payment, prepared: PreparedSearch): Purchase => ({
  payment,
  prepared,
  fingerprint: fingerprintOf(payment, prepared),
  times: { verifyMs: 0, searchMs: 0, settleMs: 0 },
})

/** The same authorization, signature and search make the same purchase, in whatever order the fields came. */
function fingerprintOf(payment: Payment, { request }: PreparedSearch): string {
  return createHash("sha256")
    .update(`${payment.digest} ${JSON.stringify(request)}`)
    .digest("hex")
}

/** Who pays: an account, lower case. */
export const payerOf = ({ payment }: Pick<Purchase, "payment">): string =>
  payment.authorization.from.toLowerCase()

/** Does a step of a purchase and notes how long it took, also when it fails. */
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
