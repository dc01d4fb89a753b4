import { isUnwritable } from "#base/disk-space.ts"
import { Serial } from "#base/flow/serial.ts"

import { ApiError } from "../../../errors.ts"
import type { CallLog } from "../call-log.ts"
import { type Cost, mostCredits } from "./credits.ts"
import type { Ledger, LedgerCall, Refusal } from "./credit-ledger.ts"
import type { Tracking } from "../tracking.ts"
import { Unsettled } from "./unsettled.ts"
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

/** Between two attempts to count what waits, and how many calls are counted in one transaction. */
const AGAIN_MS = 2000
const CALLS_AT_ONCE = 200
/** What is kept of a question while its call waits in memory. */
const KEPT_CHARS = 1000

export interface BillingParts {
  readonly ledger: Ledger
  readonly log: CallLog
  readonly writes: WriteQueue
  readonly keepsQueries: boolean
  /** Calls that may wait for room on the disk. */
  readonly mostWaiting: number
  /** Told when calls begin to wait for room on the disk, with 0 once all are counted, and of those lost with the process. */
  readonly onWaiting: (calls: number, areLost: boolean) => void
}

/**
 * Reserves before work, counts after it, and writes the call down, each in one transaction of the write queue.
 *
 * On a disk that is full or read-only calls are answered all the same, and counted when it takes writes again ({@link Unsettled}): limits hold
 * meanwhile as well, and what waits is bounded. It is lost with the process.
 */
export class Billing implements AsyncDisposable {
  readonly #ledger: Ledger
  readonly #log: CallLog
  readonly #writes: WriteQueue
  readonly #keepsQueries: boolean
  readonly #onWaiting: BillingParts["onWaiting"]
  readonly #unsettled: Unsettled
  /** Checks one call at a time against the credits held in memory: two at once could both pass the limit. */
  readonly #unwritable = new Serial()
  #timer: NodeJS.Timeout | null = null
  #counting: Promise<void> | null = null

  constructor(parts: BillingParts) {
    this.#onWaiting = parts.onWaiting
    this.#unsettled = new Unsettled(parts.mostWaiting)
    this.#ledger = parts.ledger
    this.#log = parts.log
    this.#writes = parts.writes
    this.#keepsQueries = parts.keepsQueries
  }

  /**
   * Sets the most that a call may cost aside.
   * @throws ApiError 432 or 433 when a limit would be passed; then nothing is set aside. 503 when the disk is full or read-only and no
   * more calls can wait to be counted.
   */
  async reserve(call: Pick<BilledCall, "requestId" | "key">, most: Cost): Promise<void> {
    const { key, requestId } = call
    this.#unsettled.assertRoom(key.id)
    if (!this.#ledger.isLimited(key)) return
    let refusal: Refusal | null
    try {
      // The limit is judged by what is counted.
      if (this.#unsettled.size > 0) await this.#count()
      refusal = await this.#writes.run(async () => {
        // Work that goes on after a restart may have something set aside still, or not.
        await this.#ledger.release(requestId)
        return await this.#ledger.hold(call, most)
      })
    } catch (error) {
      if (!isUnwritable(error)) throw error
      refusal = await this.#unwritable.run(() => this.#holdInMemory(call, mostCredits(most)))
    }
    if (refusal !== null) throw new ApiError(...refusals[refusal])
  }

  async #holdInMemory(
    { requestId, key }: Pick<BilledCall, "requestId" | "key">,
    credits: number,
  ): Promise<Refusal | null> {
    const refusal = await this.#ledger.refusal(key, credits, {
      key: this.#unsettled.credits(key.id),
      account: this.#unsettled.credits(),
    })
    if (refusal === null) this.#unsettled.hold(requestId, key.id, credits)
    return refusal
  }

  /** Gives back what a call set aside that came to nothing. */
  async release(call: Pick<BilledCall, "requestId" | "key">): Promise<void> {
    this.#unsettled.release(call.requestId)
    if (this.#ledger.isLimited(call.key)) await this.#writes.run(() => this.#ledger.release(call.requestId))
  }

  /**
   * Counts a call and writes it down. To be waited for before the answer is sent. On a full disk it waits to be counted,
   * unless there is something to be written with it.
   * @param cost at most what was set aside
   * @param also written in the same transaction, so that neither lands without the other
   * @returns the credits that fell due
   * @throws ApiError 503 when the disk is full or read-only and no more calls can wait
   */
  async settle(
    call: BilledCall,
    cost: Cost,
    { depth, seconds, query }: Served,
    also?: () => Promise<void>,
  ): Promise<number> {
    const at = Date.now()
    const write = async (asked: string | undefined) => {
      const credits = await this.#ledger.settle(call, cost, at)
      await this.#log.add({
        at,
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
        query: this.#keepsQueries ? (asked ?? null) : null,
      })
      return credits
    }
    try {
      const credits = await this.#writes.run(async () => {
        await also?.()
        return await write(query)
      })
      this.#unsettled.release(call.requestId)
      return credits
    } catch (error) {
      if (also !== undefined || !isUnwritable(error)) throw error
      const credits = await this.#ledger.due(call.key, cost)
      const kept = query?.slice(0, KEPT_CHARS)
      this.#unsettled.add(call.requestId, {
        keyId: call.key.id,
        credits: mostCredits(cost),
        write: async () => {
          await write(kept)
        },
      })
      this.#countLater()
      return credits
    }
  }

  /** Calls that were answered and are not counted, for want of room on the disk. */
  get waiting(): number {
    return this.#unsettled.size
  }

  /** How many may be. */
  get mostWaiting(): number {
    return this.#unsettled.most
  }

  #countLater(): void {
    if (this.#timer !== null) return
    this.#onWaiting(this.#unsettled.size, false)
    this.#timer = setInterval(() => void this.#count().catch(() => undefined), AGAIN_MS)
    this.#timer.unref()
  }

  /** Counts what waits; calls at the same time share one attempt. @throws what keeps it from that */
  #count(): Promise<void> {
    return (this.#counting ??= this.#countAll().finally(() => (this.#counting = null)))
  }

  async #countAll(): Promise<void> {
    while (this.#unsettled.size > 0) {
      const calls = this.#unsettled.next(CALLS_AT_ONCE)
      await this.#writes.run(async () => {
        for (const call of calls) await call.write()
      })
      this.#unsettled.settled(calls)
    }
    if (this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#onWaiting(0, false)
  }

  /** Counts what waits once more, at once. What cannot be counted is lost, and told of. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    // What it counts must not be counted twice.
    await this.#counting?.catch(() => undefined)
    if (this.#unsettled.size === 0) return
    try {
      const calls = this.#unsettled.next(this.#unsettled.size)
      await this.#writes.runNow(async () => {
        for (const call of calls) await call.write()
      })
      this.#unsettled.settled(calls)
      this.#onWaiting(0, false)
    } catch {
      this.#onWaiting(this.#unsettled.size, true)
    }
  }
}
