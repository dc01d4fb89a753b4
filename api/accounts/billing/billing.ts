import { ApiError } from "../../errors.ts"
import type { CallLog } from "../call-log.ts"
import type { Cost } from "./credits.ts"
import type { Ledger, LedgerCall, Refusal } from "./credit-ledger.ts"
import type { Tracking } from "../tracking.ts"
import type { WriteQueue } from "./write-queue.ts"

/** A call to be paid for. */
export interface BilledCall extends LedgerCall, Pick<Tracking, "session" | "human"> {}

/** What is written of a call beside its credits. */
export interface Served {
  /** Of the search or of the extraction. */
  readonly depth: string
  readonly seconds: number
  /** What was asked; kept only when the operator has that done. */
  readonly query?: string | undefined
}

/** The contract's first sentences: some clients look for them. */
const refusals: Readonly<Record<Refusal, readonly [number, string]>> = {
  key: [
    432,
    "This request exceeds your plan's set usage limit. The key has a limit of its own; ask the operator of this server for more.",
  ],
  plan: [432, "This request exceeds your plan's set usage limit. Ask the operator of this server for more."],
  paygo: [
    433,
    "This request exceeds the pay-as-you-go limit. Ask the operator of this server to increase it.",
  ],
}

/** Reserves before work, counts after it, and writes the call down, each in one transaction of the write queue. */
export class Billing {
  readonly #ledger: Ledger
  readonly #log: CallLog
  readonly #writes: WriteQueue
  readonly #keepsQueries: boolean

  constructor(parts: { ledger: Ledger; log: CallLog; writes: WriteQueue; keepsQueries: boolean }) {
    this.#ledger = parts.ledger
    this.#log = parts.log
    this.#writes = parts.writes
    this.#keepsQueries = parts.keepsQueries
  }

  /**
   * Sets the most that a call may cost aside.
   * @throws ApiError 432 or 433 when a limit would be passed; then nothing is set aside
   */
  async reserve(call: Pick<BilledCall, "requestId" | "key">, most: Cost): Promise<void> {
    if (!this.#ledger.isLimited(call.key)) return
    const refusal = await this.#writes.run(() => {
      // Work that goes on after a restart may have something set aside still, or not.
      this.#ledger.release(call.requestId)
      return this.#ledger.hold(call, most)
    })
    if (refusal !== null) throw new ApiError(...refusals[refusal])
  }

  /** Gives back what a call set aside that came to nothing. */
  async release(call: Pick<BilledCall, "requestId" | "key">): Promise<void> {
    if (this.#ledger.isLimited(call.key)) await this.#writes.run(() => this.#ledger.release(call.requestId))
  }

  /**
   * Counts a call and writes it down. To be waited for before the answer is sent.
   * @param cost at most what was set aside
   * @param also written in the same transaction, so that neither lands without the other
   * @returns the credits that fell due
   */
  settle(
    call: BilledCall,
    cost: Cost,
    { depth, seconds, query }: Served,
    also: () => void = () => {},
  ): Promise<number> {
    return this.#writes.run(() => {
      also()
      const credits = this.#ledger.settle(call, cost)
      this.#log.add({
        at: Date.now(),
        requestId: call.requestId,
        endpoint: call.endpoint,
        depth,
        seconds,
        credits,
        keyId: call.key.id,
        keyHint: call.key.hint,
        project: call.project,
        session: call.session,
        human: call.human,
        query: this.#keepsQueries ? (query ?? null) : null,
      })
      return credits
    })
  }
}
