import { ApiError } from "../../../errors.ts"

/** Maximum number of waiting calls: enough for nine minutes of continuous calls by 64 clients. */
const MOST_CALLS = 10_000
/** One key may have at most 1/SHARE_OF_KEY of the waiting calls, so that it never takes all of the room. */
const SHARE_OF_KEY = 10
/** The average number of credits that each of a key's waiting calls may cost. */
const CREDITS_OF_CALL = 2
const RETRY_SECONDS = 5

/** A call that was answered and is still to be counted. */
interface Waiting {
  readonly keyId: string
  readonly credits: number
}

interface Sums {
  readonly calls: number
  readonly credits: number
}

const NOTHING: Sums = { calls: 0, credits: 0 }

const DISK_FULL =
  "The server's disk is full or read-only, and the limit on calls waiting to be counted has been reached. Try again once its operator has freed space or made the data folder (FOSSICK_DATA_DIR) writable."
/** The message for the same case when the state is kept on a server. */
export const STATE_AWAY =
  "The server that keeps the state cannot be reached, and the limit on calls waiting to be counted has been reached. Try again once the server is back."

/**
 * Calls answered while nothing could be written, until they can be counted. Their number is bounded: a further call
 * that would have to be counted is refused.
 */
export class Unsettled<W extends Waiting = Waiting> {
  /** Maximum number of waiting calls, in total and for one key, and the maximum that one key's calls may cost together. */
  readonly most: number
  readonly mostOfKey: number
  readonly mostCreditsOfKey: number
  readonly #because: string
  #waiting: W[] = []
  /** The maximum cost of each limited call in progress, by request. */
  readonly #held = new Map<string, { readonly keyId: string; readonly credits: number }>()
  /** The number of waiting calls and their credits, by key. */
  readonly #sums = new Map<string, Sums>()
  #credits = 0

  /** @param because the message for calls when there is no room */
  constructor(most = MOST_CALLS, because = DISK_FULL) {
    this.most = most
    this.#because = because
    this.mostOfKey = Math.ceil(most / SHARE_OF_KEY)
    this.mostCreditsOfKey = this.mostOfKey * CREDITS_OF_CALL
  }

  /** Number of waiting calls. */
  get size(): number {
    return this.#waiting.length
  }

  /** Credits of a key's waiting calls and of its calls in progress; of all keys when none is named. */
  credits(keyId?: string): number {
    let credits = keyId === undefined ? this.#credits : this.#sumsOf(keyId).credits
    for (const held of this.#held.values()) {
      if (keyId === undefined || held.keyId === keyId) credits += held.credits
    }
    return credits
  }

  /** @throws ApiError 503 when no more calls with the key can be accepted */
  assertRoom(keyId: string): void {
    const { calls, credits } = this.#sumsOf(keyId)
    const isKeyFull = calls >= this.mostOfKey || credits >= this.mostCreditsOfKey
    if (isKeyFull || this.#waiting.length >= this.most) {
      throw new ApiError(503, this.#because, {}, { "Retry-After": String(RETRY_SECONDS) })
    }
  }

  /** Reserves the maximum that a call may cost, until {@link release} or {@link add}. */
  hold(requestId: string, keyId: string, credits: number): void {
    this.#held.set(requestId, { keyId, credits })
  }

  /** @returns whether anything was reserved */
  release(requestId: string): boolean {
    return this.#held.delete(requestId)
  }

  /** Adds a call. @throws ApiError 503 when too many calls are waiting */
  add(requestId: string, call: W): void {
    this.release(requestId)
    this.assertRoom(call.keyId)
    this.take(call)
  }

  /** Adds a call for which the caller has already checked that there is room. */
  take(call: W): void {
    this.#waiting.push(call)
    this.#count(call, 1)
  }

  /** The next calls to be counted, oldest first; pass them to {@link settled} once they are. */
  next(count: number): readonly W[] {
    return this.#waiting.slice(0, count)
  }

  settled(calls: readonly W[]): void {
    const done = new Set<Waiting>(calls)
    this.#waiting = this.#waiting.filter((call) => !done.has(call))
    for (const call of calls) this.#count(call, -1)
  }

  #count({ keyId, credits }: Waiting, sign: 1 | -1): void {
    const sums = this.#sumsOf(keyId)
    this.#credits += sign * credits
    if (sums.calls + sign === 0) this.#sums.delete(keyId)
    else this.#sums.set(keyId, { calls: sums.calls + sign, credits: sums.credits + sign * credits })
  }

  #sumsOf(keyId: string): Sums {
    return this.#sums.get(keyId) ?? NOTHING
  }
}
