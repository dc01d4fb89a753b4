import type { Engine, Hit } from "#engine"
import { type ByteAccount, ByteBudget } from "#base/flow/memory/byte-budget.ts"
import { cacheUses } from "#base/flow/memory/cache-memory.ts"
import { machineMemory } from "#base/process/machine-memory.ts"

import { ApiError } from "../../../errors.ts"
import { type ArrivingBodies, bodiesOfProcess } from "../arriving-bodies.ts"
import type { Connections } from "../connections.ts"
import { Heap } from "./heap.ts"
import { type Caches, cachesLimit, MB, memoryLimit, type MemoryLimits } from "./memory-limits.ts"

/** The calls' share of the memory that caches leave; the rest is for answers being sent. */
const SHARE_OF_CALLS = 3 / 4
const SHARE_OF_RESEARCH = 1 / 8
const RETRY_SECONDS = 2

/**
 * Text is in memory three times while an answer is written: in its original form, as JSON, and as the bytes that are
 * sent. The first two take one or two bytes per character.
 */
export const BYTES_PER_CHAR = 4
/** The memory that a call takes in addition to the texts of its pages: its request, its connection and data for comparisons. */
const CALL_BYTES = 256 * 1024

/** The bytes in one account, and its limit. */
export interface Holding {
  readonly held: number
  readonly total: number
  /** How many times there has been no room since startup; null for a cache, which drops its least recently used entry instead. */
  readonly refused: number | null
}

export interface Memory extends Disposable {
  /** Memory for the pages of live calls. */
  readonly live: ByteBudget
  /** Memory for the pages that research tasks read. */
  readonly research: ByteBudget
  /** Requests to all listeners that have not fully arrived. */
  readonly bodies: ArrivingBodies
  /**
   * Opens the account of one call of any kind.
   * @throws ApiError 503 with `Retry-After` when there is no room for another call
   */
  enter(): CallHold
  /** Every account by name; `all` is their total. */
  holdings(): ReadonlyMap<string, Holding>
}

/** The memory of one call, in addition to the pages it reads live. */
export interface CallHold extends Disposable {
  /**
   * Counts these texts as memory of the call until it is answered.
   * @throws ApiError 503 with `Retry-After` when there is no room for them
   */
  hold(chars: number): void
}

interface AccountLimits extends MemoryLimits {
  readonly liveMemoryMb: number
  readonly researchMemoryMb: number
  readonly bodiesMb: number
}

/**
 * Accounts for all the memory that callers make this process use: a total with parts, each of which refuses early if
 * the total is used up. (Elasticsearch calls this a parent circuit breaker with children.) Bytes that the system
 * allocates without a reservation, such as responses waiting for slow readers, are counted at their actual size. The
 * share of caches is never given to calls, whether it is used or not: caches fill without a request that could be
 * refused.
 */
export function openMemory(
  limits: AccountLimits,
  connections: Pick<Connections, "unsentBytes" | "unsentLimit">,
  caches: Caches = cacheUses,
): Memory {
  // A cache, or another reader of the index, might be created long after this account was opened.
  const machine = machineMemory()
  const total = () => memoryLimit(limits, caches, machine)
  const left = () => total() - cachesLimit(caches)
  const heap = new Heap()
  const bodies = bodiesOfProcess
  bodies.most = limits.bodiesMb * MB
  const all = new ByteBudget(total, {
    beside: () => connections.unsentBytes + bodies.bytes + cachesLimit(caches),
  })
  const calls = new ByteBudget(() => left() * SHARE_OF_CALLS, { parent: all })
  const live = new ByteBudget(limits.liveMemoryMb * MB, { parent: all })
  const research = new ByteBudget(() => Math.min(limits.researchMemoryMb * MB, left() * SHARE_OF_RESEARCH), {
    parent: all,
  })
  let refusedByHeap = 0
  const reserve = (account: ByteAccount, bytes: number) => {
    if (heap.isFull) refusedByHeap++
    else if (account.reserve(bytes)) return
    account[Symbol.dispose]()
    throw spent()
  }
  return {
    live,
    research,
    bodies,
    enter() {
      const account = calls.open()
      reserve(account, CALL_BYTES)
      return {
        hold: (chars) => reserve(account, chars * BYTES_PER_CHAR),
        [Symbol.dispose]: () => account[Symbol.dispose](),
      }
    },
    holdings: () =>
      new Map<string, Holding>([
        ["all", all],
        ["calls", calls],
        ["live", live],
        ["research", research],
        ["unsent", { held: connections.unsentBytes, total: connections.unsentLimit, refused: 0 }],
        ["heap", { held: heap.held, total: heap.total, refused: refusedByHeap }],
        ...[...caches()].map(
          ([kind, { held, total: most }]) => [`cache-${kind}`, { held, total: most, refused: null }] as const,
        ),
      ]),
    [Symbol.dispose]: () => heap[Symbol.dispose](),
  }
}

/** The engine for one call: its results count as the call's memory until the call is answered. */
export const holding = (
  engine: Pick<Engine, "search">,
  memory: Pick<CallHold, "hold">,
): Pick<Engine, "search"> => ({
  async search(query, options) {
    const found = await engine.search(query, options)
    memory.hold(charsOf(found.hits))
    return found
  },
})

const charsOf = (hits: readonly Hit[]): number =>
  hits.reduce((sum, hit) => {
    const passages = hit.passages.reduce((of, { text }) => of + text.length, 0)
    return sum + hit.markdown.length + (hit.description?.length ?? 0) + passages
  }, 0)

const spent = () =>
  new ApiError(
    503,
    `The memory for calls is used up. Try again in ${RETRY_SECONDS} s, or ask for less at a time.`,
    {},
    { "Retry-After": String(RETRY_SECONDS) },
  )
