import { ApiError, badRequest } from "../../errors.ts"
import type { Accounts } from "./accounts.ts"
import type { Served } from "./billing/billing.ts"
import { MOST_PROJECTS } from "./billing/credit-ledger.ts"
import type { Cost } from "./billing/credits.ts"
import { type Endpoint, ENDPOINTS } from "./keys/key-scope.ts"
import { type ApiKey, payerOf } from "./keys/keys.ts"
import { enterLiveCall } from "../../server/load/gates.ts"
import type { CallHold, Memory } from "../../server/load/memory/memory.ts"
import type { LimitedEndpoint, RateLimits } from "./rates/rate-limits.ts"
import { type Reach, type ReachParts, reachOf, type Seeker } from "./reach/reach.ts"
import type { Tracking } from "./tracking.ts"

/** The bill for one call. {@link Admission.end} returns credits that were reserved but not settled. */
export interface Bill {
  /** The project that the call counts toward; empty if there is none. */
  readonly project: string
  /**
   * Reserves the maximum that the call may cost, before any work.
   * @throws ApiError 432 or 433
   */
  reserve(most: Cost): Promise<void>
  /** Counts the call and records it before its answer is sent. @returns the credits charged */
  settle(cost: Cost, served: Omit<Served, "seconds">): Promise<number>
}

/** The caller, and the facts known about the call. */
export interface Caller {
  readonly key: ApiKey
  readonly requestId: string
  /** `performance.now()` when the call came in. */
  readonly startedAt: number
  readonly tracking: Tracking
}

/** An admitted call: what it may see, and how it is billed. */
export interface Admission {
  readonly reach: Reach
  readonly bill: Bill
  /** Memory the call holds, released when its answer is sent. */
  readonly memory: CallHold
  /** Must be called when the call is over, however it ended. */
  end(): Promise<void>
}

export interface AdmissionParts {
  readonly accounts: Accounts
  readonly reach: ReachParts
  readonly memory: Pick<Memory, "enter">
  /** Limits for keys without limits of their own. */
  readonly rateLimits: RateLimits
}

const TOO_FAST =
  "Your request has been blocked due to excessive requests. Please reduce the rate of requests."

/** Details of a call that don't follow from its endpoint. */
export interface AdmitOptions {
  /** Whether the call reads pages only from the index, and so takes no place among the live calls. Default false. */
  readonly isStored?: boolean
}

/** Endpoints that read live pages. */
const LIVE: ReadonlySet<LimitedEndpoint> = new Set(["extract", "crawl", "map"])

/** Every call with a key must be admitted here, whether it arrives over HTTP or not. */
export class Admissions {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /**
   * Admits a call to this endpoint.
   * @throws ApiError 403 when the key isn't allowed to make it, 429 with `Retry-After` when the key has made too many,
   * or when more calls are running or waiting than can be answered in time, 503 with `Retry-After` when other calls are
   * using all the memory
   */
  async admit(
    endpoint: LimitedEndpoint,
    caller: Caller,
    { isStored = false }: AdmitOptions = {},
  ): Promise<Admission> {
    const { key } = caller
    const billed = ENDPOINTS.find((one) => one === endpoint)
    if (billed && key.scope.endpoints?.includes(billed) === false) {
      throw new ApiError(403, `Access denied. This key may not use /${endpoint}.`)
    }
    const project = projectOf(key, caller.tracking.project)
    const { accounts, rateLimits } = this.#parts
    const payer = payerOf(key).id
    const refused = await accounts.rates.take(payer, endpoint, key.rateLimits ?? rateLimits)
    if (refused !== null) {
      throw new ApiError(429, TOO_FAST, {}, { "Retry-After": String(refused.retryAfter) })
    }
    if (billed && project !== "" && !(await accounts.mayName(payer, project))) {
      const text = `Invalid X-Project-ID. This key has already named ${MOST_PROJECTS} projects this month, which is the limit.`
      throw badRequest(text)
    }
    const { gates } = this.#parts.reach
    if (endpoint === "search" || isStored) gates.searches.check(key.id)
    const memory = this.#parts.memory.enter()
    const leave =
      LIVE.has(endpoint) && !isStored ? enterOr(memory, () => enterLiveCall(gates, key.id)) : () => {}
    const bill = new CallBill(accounts, caller, billed ?? null, project)
    return {
      reach: reachOf(key, this.#parts.reach, memory),
      bill,
      memory,
      end: () => {
        leave()
        return bill.end()
      },
    }
  }

  /** What a key or person may see, for work outside a call: a background task, a sale. */
  reach(seeker: Seeker): Reach {
    return reachOf(seeker, this.#parts.reach)
  }
}

/** Returns the result of `enter`; closes the account if `enter` refuses. */
function enterOr<T>(memory: CallHold, enter: () => T): T {
  try {
    return enter()
  } catch (error) {
    memory[Symbol.dispose]()
    throw error
  }
}

/** @throws ApiError 403 for a project that the key doesn't belong to */
function projectOf({ projects }: ApiKey, named: string): string {
  if (projects.length === 0 || projects.includes(named)) return named
  if (named !== "") throw new ApiError(403, "Access denied. This key does not belong to that project.")
  return projects.length === 1 ? projects[0]! : ""
}

class CallBill implements Bill {
  readonly #accounts: Accounts
  readonly #caller: Caller
  readonly #endpoint: Endpoint | null
  readonly project: string
  #isHeld = false

  constructor(accounts: Accounts, caller: Caller, endpoint: Endpoint | null, project: string) {
    this.#accounts = accounts
    this.#caller = caller
    this.#endpoint = endpoint
    this.project = project
  }

  async reserve(most: Cost): Promise<void> {
    await this.#accounts.billing.reserve(this.#caller, most)
    this.#isHeld = true
  }

  async settle(cost: Cost, served: Omit<Served, "seconds">): Promise<number> {
    const { requestId, key, startedAt, tracking } = this.#caller
    if (this.#endpoint === null) throw new Error("A call of this kind costs nothing.")
    const seconds = Math.round(performance.now() - startedAt) / 1000
    const call = { ...tracking, requestId, key, project: this.project, endpoint: this.#endpoint }
    const credits = await this.#accounts.billing.settle(call, cost, { ...served, seconds })
    this.#isHeld = false
    return credits
  }

  async end(): Promise<void> {
    if (this.#isHeld) await this.#accounts.billing.release(this.#caller)
  }
}
