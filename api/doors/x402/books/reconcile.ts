import type { Logger } from "pino"

import type { Chain } from "../chain/chain.ts"
import type { Ledger } from "./payment-ledger.ts"
import type { Authorization } from "../payment.ts"
import type { Terms } from "../terms.ts"

/**
 * Asks the network about payments whose outcome is unknown, so that the books are right even if a payer never comes
 * back. Payments that turn out to be paid are kept for their payer; payments that can no longer be used are deleted.
 */
export async function reconcile(parts: {
  readonly ledger: Ledger
  readonly chain: Chain
  readonly terms: Terms
  readonly log: Logger
}): Promise<void> {
  const { ledger, chain, log } = parts
  for (const { id, since, authorization: text } of await ledger.unsettled()) {
    const authorization = JSON.parse(text) as Authorization & { version: 1 | 2 }
    const seen = await chain.look(authorization, since)
    // The payer might have come back in the meantime.
    if ((seen.kind !== "paid" && seen.kind !== "dead") || !(await ledger.resume(id))) continue
    if (seen.kind === "dead") await ledger.forget(id)
    else {
      const { network, asset, payTo } = parts.terms.requirements
      const { from: payer, value: amount, version } = authorization
      const receipt = {
        transaction: seen.transaction,
        network,
        asset,
        payTo,
        payer,
        amount,
        version,
      }
      await ledger.settled(id, receipt, { verifyMs: 0, searchMs: 0, settleMs: 0 })
    }
    log.info({ payment: id, found: seen.kind }, "an open payment was looked up")
  }
}
