import { isUnwritable } from "#base/disk-space.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { Serial } from "#base/flow/serial.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

import { isContinuing } from "../../../server/outage/continuing.ts"
import type { StateOutage } from "../../../server/outage/state-outage.ts"
import type { CallLog } from "../call-log.ts"
import { payerOf } from "../keys/keys.ts"
import { type Cost, mostCredits } from "./credits.ts"
import { creditRefusal, creditsUnknown } from "./credit-refusals.ts"
import type { CountedCall, Ledger, LedgerCall, Refusal } from "./credit-ledger.ts"
import type { LateCall, LateCalls, Place } from "./late-calls.ts"
import type { Tracking } from "../tracking.ts"
import { STATE_AWAY, Unsettled } from "./unsettled.ts"
import type { WriteQueue } from "./write-queue.ts"

/** A call to be paid for. */
export interface BilledCall extends LedgerCall, Pick<Tracking, "session" | "human"> {}

/** The key that the call is billed to: the service's key if a service makes the call for a person. */
const counted = <C extends Pick<BilledCall, "key">>(call: C): C => ({ ...call, key: payerOf(call.key) })

/** Data stored about a call, apart from its credits. */
export interface Served {
  /** Depth of the search or the extraction. */
  readonly depth: string
  readonly seconds: number
  /** The question; stored only if the operator turned that on. */
  readonly query?: string | undefined
}

/** An answered call, to be counted and logged now or later. */
export interface AnsweredCall extends Served {
  readonly call: CountedCall &
    Pick<BilledCall, "session" | "human"> & {
      readonly key: Pick<BilledCall["key"], "hint">
      /** The person for whom a service made the call; empty, or missing in records from earlier versions, if the service made it for itself. */
      readonly person?: string
    }
  readonly cost: Cost
  /** When the call was answered, in milliseconds since 1970. */
  readonly at: number
}

interface Waiting {
  readonly keyId: string
  /** The maximum number of credits that the call may cost. */
  readonly credits: number
  readonly answered: AnsweredCall
  /** Where the call is stored on the disk while it waits; null if it is lost with the process. */
  readonly place: Place | null
}

/** Time between attempts to count waiting calls, and the number of calls counted in one transaction. */
const AGAIN_MS = 2000
const CALLS_AT_ONCE = 200
/** Number of a question's characters that are kept while its call is waiting. */
const KEPT_CHARS = 1000

export interface BillingParts {
  readonly ledger: Ledger
  readonly log: CallLog
  readonly writes: WriteQueue
  readonly keepsQueries: boolean
  /** Maximum number of calls that may wait to be counted. */
  readonly mostWaiting: number
  /**
   * Called when calls start to wait for room on the disk, with 0 once all are counted, and with the number of calls
   * that are lost when the process ends.
   */
  readonly onWaiting: (calls: number, areLost: boolean) => void
  readonly outage: Pick<StateOutage, "ask" | "isAway">
  /** Where answered calls wait while the state server is away; null if calls are refused then. */
  readonly late: LateCalls<AnsweredCall> | null
}

/**
 * Reserves credits before work, counts them after it, and records the call, each in one transaction of the write queue.
 *
 * While the disk is full or read-only, calls are still answered, and are counted once it accepts writes again ({@link
 * Unsettled}). The same applies to calls that continue while the state server is away. Limits still apply in the
 * meantime, and the number of waiting calls is bounded. On a full disk, waiting calls are lost with the process; during
 * an outage they are kept in a file.
 */
export class Billing implements AsyncDisposable {
  readonly #parts: BillingParts
  readonly #unsettled: Unsettled<Waiting>
  /** Checks one call at a time against the credits held in memory: two at once could exceed the limit together. */
  readonly #unwritable = new Serial()
  #timer: NodeJS.Timeout | null = null
  #counting: Promise<void> | null = null

  constructor(parts: BillingParts) {
    this.#parts = parts
    this.#unsettled = new Unsettled(parts.mostWaiting, parts.late === null ? undefined : STATE_AWAY)
  }

  /** Counts calls that earlier processes left uncounted, immediately or as soon as possible. */
  async recover(): Promise<void> {
    const { late } = this.#parts
    for (const { call, ...place } of late?.left ?? []) this.#unsettled.take(waitingOf(call, place))
    if (this.#unsettled.size === 0) return
    this.#beginTimer()
    await this.#count().catch(() => undefined)
  }

  /**
   * Reserves the maximum that a call may cost.
   * @throws ApiError 432 or 433 when a limit would be exceeded, and then no credits are reserved; 503 when the disk is
   * full or read-only and no more calls can wait to be counted
   */
  async reserve(given: Pick<BilledCall, "requestId" | "key">, most: Cost): Promise<void> {
    const call = counted(given)
    this.#unsettled.assertRoom(call.key.id)
    if (!this.#parts.ledger.isLimited(call.key)) return
    const refusal = await this.#refusalOf(call, most)
    if (refusal !== null) throw creditRefusal(refusal)
  }

  async #refusalOf(call: Pick<BilledCall, "requestId" | "key">, most: Cost): Promise<Refusal | null> {
    const { ledger, late } = this.#parts
    try {
      // After an outage many calls might be waiting; this one doesn't have to wait for them.
      if (this.#unsettled.size > 0 && late !== null) return await this.#holdInMemory(call, most)
      // The waiting calls are counted first, because the limit is compared with the counted usage.
      if (this.#unsettled.size > 0) await this.#count()
      return await this.#writeUnlessGivenUp(async () => {
        // Work that continues after a restart may already have credits reserved.
        const released = ledger.release(call.requestId)
        // Calls that were admitted while the state server was away might still be in progress.
        const held = ledger.hold(call, most, this.#uncounted(call.key.id))
        const [refusal] = await Promise.all([held, released])
        return refusal
      }, this.#lineOf(call))
    } catch (error) {
      if (this.#continuesAfter(error)) return this.#holdAsKnown(call, most)
      if (!isUnwritable(error)) throw error
      return await this.#holdInMemory(call, most)
    }
  }

  async #holdInMemory(call: Pick<BilledCall, "requestId" | "key">, most: Cost): Promise<Refusal | null> {
    const credits = mostCredits(most)
    return await this.#unlessGivenUp((check) =>
      this.#unwritable.run(async () => {
        const refusal = await this.#parts.ledger.refusal(call.key, credits, this.#uncounted(call.key.id))
        check()
        if (refusal === null) this.#unsettled.hold(call.requestId, call.key.id, credits)
        return refusal
      }),
    )
  }

  /** Checks the limit while the state server is away. @throws ApiError 503 */
  #holdAsKnown({ requestId, key }: Pick<BilledCall, "requestId" | "key">, most: Cost): Refusal | null {
    const credits = mostCredits(most)
    const refusal = this.#parts.ledger.refusalAsKnown(key, credits, this.#uncounted(key.id))
    if (refusal === undefined) throw creditsUnknown()
    if (refusal === null) this.#unsettled.hold(requestId, key.id, credits)
    return refusal
  }

  #uncounted = (keyId: string) => ({
    key: this.#unsettled.credits(keyId),
    account: this.#unsettled.credits(),
  })

  /** Releases the credits reserved for a failed call. */
  async release(given: Pick<BilledCall, "requestId" | "key">): Promise<void> {
    const call = counted(given)
    const { ledger, writes, outage } = this.#parts
    const wasInMemory = this.#unsettled.release(call.requestId)
    if (!ledger.isLimited(call.key) || (wasInMemory && outage.isAway)) return
    await outage.ask(() => writes.run(() => ledger.release(call.requestId), this.#lineOf(call)))
  }

  /**
   * Counts a call and writes it to the log. Await this before you send the answer. On a full disk, and for a call that
   * continues while the state server is away, the call waits to be counted, unless `also` has to be written with it.
   * @param cost at most the credits reserved
   * @param also written in the same transaction, so that both are committed or neither is
   * @returns the credits charged; for a call that continues, those known without the state server
   * @throws ApiError 503 when the call cannot be counted now and no more calls can wait
   */
  async settle(given: BilledCall, cost: Cost, served: Served, also?: () => Promise<void>): Promise<number> {
    const call = { ...counted(given), person: given.key.onBehalf?.personId ?? "" }
    const { keepsQueries, ledger } = this.#parts
    const { query, ...facts } = served
    const answered = (kept: string | undefined): AnsweredCall => ({
      call,
      cost,
      at,
      ...facts,
      ...(keepsQueries && kept !== undefined && { query: kept }),
    })
    const at = Date.now()
    try {
      const credits = await this.#writeUnlessGivenUp(
        async () => {
          await also?.()
          return await this.#write(answered(query))
        },
        also ? undefined : this.#lineOf(call),
      )
      this.#unsettled.release(call.requestId)
      return credits
    } catch (error) {
      if (also !== undefined) throw error
      const waiting = answered(query?.slice(0, KEPT_CHARS))
      if (this.#continuesAfter(error)) return await this.#keep(waiting)
      if (!isUnwritable(error)) throw error
      const credits = await ledger.due(call.key, cost)
      this.#unsettled.add(call.requestId, waitingOf(waiting, null))
      this.#countLater()
      return credits
    }
  }

  /** Number of calls that have been answered but not yet counted. */
  get waiting(): number {
    return this.#unsettled.size
  }

  /** Maximum number of calls that may wait to be counted. */
  get mostWaiting(): number {
    return this.#unsettled.most
  }

  /** Whether a call is answered despite this error. */
  #continuesAfter(error: unknown): boolean {
    return this.#parts.late !== null && isContinuing() && isStateAway(error)
  }

  /**
   * Runs `work`; for a call that continues, only until the server is found to be away.
   * @param work calls `check` before any step that must not happen after that
   */
  async #unlessGivenUp<T>(work: (check: () => void) => Promise<T>): Promise<T> {
    let isGivenUp = false
    const check = () => {
      if (isGivenUp) throw new Error("The call no longer waits for this.")
    }
    try {
      return await this.#parts.outage.ask(() => work(check))
    } catch (error) {
      isGivenUp = true
      throw error
    }
  }

  /**
   * Like `#unlessGivenUp`, but for a write. A commit in progress may still complete, but only before the next write,
   * since writers take turns.
   */
  async #writeUnlessGivenUp<T>(work: () => Promise<T>, line: string | undefined): Promise<T> {
    return await this.#unlessGivenUp((check) =>
      this.#parts.writes.run(async () => {
        check()
        const done = await work()
        check()
        return done
      }, line),
    )
  }

  /** The line in the write queue: calls with different keys share rows only if the account has a plan. */
  #lineOf({ key }: Pick<BilledCall, "key">): string | undefined {
    return this.#parts.ledger.plan.credits === null ? key.id : undefined
  }

  /** Keeps a call on the disk until it is counted. */
  async #keep(answered: AnsweredCall): Promise<number> {
    const { call, cost } = answered
    this.#unsettled.assertRoom(call.key.id)
    const { key, ...facts } = call
    const kept = {
      ...answered,
      call: { ...facts, key: { id: key.id, hint: key.hint, creditLimit: key.creditLimit } },
    }
    const place = await this.#parts.late!.add(kept)
    this.#unsettled.take(waitingOf(kept, place))
    this.#unsettled.release(call.requestId)
    this.#beginTimer()
    leaveOut("state")
    return cost.credits ?? 0
  }

  #countLater(): void {
    if (this.#timer !== null) return
    this.#parts.onWaiting(this.#unsettled.size, false)
    this.#beginTimer()
  }

  #beginTimer(): void {
    if (this.#timer !== null) return
    this.#timer = setInterval(() => {
      if (!this.#parts.outage.isAway) void this.#count().catch(() => undefined)
    }, AGAIN_MS)
    this.#timer.unref()
  }

  /** Counts the waiting calls; concurrent callers share one attempt. @throws the error that prevents it */
  #count(): Promise<void> {
    return (this.#counting ??= this.#countAll().finally(() => (this.#counting = null)))
  }

  async #countAll(): Promise<void> {
    while (this.#unsettled.size > 0) {
      const calls = this.#unsettled.next(CALLS_AT_ONCE)
      await this.#parts.writes.run(() => this.#writeAll(calls))
      await this.#settled(calls)
    }
    if (this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#parts.onWaiting(0, false)
  }

  async #writeAll(calls: readonly Waiting[]): Promise<void> {
    for (const { answered, place } of calls) if (place === null) await this.#write(answered)
    const late = calls.flatMap(({ answered: call, place }): LateCall<AnsweredCall>[] =>
      place === null ? [] : [{ ...place, call }],
    )
    await this.#parts.late?.count(late, (one) => this.#writeOnce(one))
  }

  async #settled(calls: readonly Waiting[]): Promise<void> {
    const { ledger, late, writes } = this.#parts
    this.#unsettled.settled(calls)
    for (const { keyId, credits } of calls) ledger.countedSince(keyId, credits)
    const gone = await late?.removeCounted(calls.flatMap(({ place }) => place ?? []))
    if (gone !== undefined && gone.length > 0) await writes.run(() => late!.forget(gone))
  }

  /** Counts a call unless it is already counted: the server may have committed it just before it became unreachable, without this process learning of it. */
  async #writeOnce(answered: AnsweredCall): Promise<void> {
    const { at, call } = answered
    if (!(await this.#parts.log.has({ at, requestId: call.requestId }))) await this.#write(answered)
  }

  /** Must be called inside a write transaction. */
  async #write({ call, cost, at, depth, seconds, query }: AnsweredCall): Promise<number> {
    const { ledger, log } = this.#parts
    const { requestId, endpoint, project, session, human, key, person = "" } = call
    const credits = await ledger.settle(call, cost, at)
    await log.add({
      at,
      requestId,
      endpoint,
      depth,
      seconds,
      credits,
      keyId: key.id,
      keyHint: key.hint,
      project,
      session,
      human,
      person,
      query: query ?? null,
    })
    return credits
  }

  /**
   * Retries counting the waiting calls. Calls that cannot be counted and are not on the disk are lost, and reported.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const { late, outage, writes, onWaiting } = this.#parts
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    // Lets a count in progress finish, because calls counted here must not be counted twice.
    if (!outage.isAway) await this.#counting?.catch(() => undefined)
    try {
      if (this.#unsettled.size === 0 || outage.isAway) return
      const calls = this.#unsettled.next(this.#unsettled.size)
      await writes.runNow(() => this.#writeAll(calls))
      await this.#settled(calls)
      onWaiting(0, false)
    } catch {
      const lost = this.#unsettled.next(this.#unsettled.size).filter(({ place }) => place === null)
      if (lost.length > 0) onWaiting(lost.length, true)
    } finally {
      await late?.[Symbol.asyncDispose]()
    }
  }
}

const waitingOf = (answered: AnsweredCall, place: Place | null): Waiting => ({
  keyId: answered.call.key.id,
  credits: mostCredits(answered.cost),
  answered,
  place,
})
