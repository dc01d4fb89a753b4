import { hostname } from "node:os"

import { Lru } from "#base/flow/memory/lru.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

import { type Cost, dueBetween, type Meter, metersOf } from "./credits.ts"
import type { Endpoint } from "../keys/key-scope.ts"
import type { ApiKey } from "../keys/keys.ts"

/** Credits that all keys together may use in a calendar month (UTC). */
export interface Plan {
  readonly name: string
  /** Credits for each month; null for no limit. */
  readonly credits: number | null
  /** Credits that may be used in addition to those of the plan. */
  readonly paygo: number
}

/** A call that costs something. */
export interface LedgerCall {
  readonly requestId: string
  readonly key: ApiKey
  /** Project of the call; empty if there is none. */
  readonly project: string
  readonly endpoint: Endpoint
}

/** A call to be counted. */
export interface CountedCall extends Omit<LedgerCall, "key"> {
  readonly key: Pick<ApiKey, "id" | "creditLimit">
}

/** By how many credits a key, and all keys together, exceed their limits. */
interface Passed {
  readonly key: number
  readonly account: number
}

/** The limit a call would exceed: the key's, the plan's, or the one for usage beyond the plan. */
export type Refusal = "key" | "plan" | "paygo"

/** Credits used, in total and by endpoint. */
export interface Used {
  readonly all: number
  readonly byEndpoint: Readonly<Partial<Record<Endpoint, number>>>
}

interface LedgerTables {
  credit_use: {
    month: string
    key_id: string
    project: string
    endpoint: Endpoint
    credits: number
    calls: number
  }
  credit_total: { subject: string; month: string; credits: number }
  credit_hold: {
    request_id: string
    meter: Meter | typeof CREDITS
    key_id: string
    amount: number
    until: number
    pid: number
    host: string
  }
  credit_meters: { key_id: string; meter: Meter; successes: number }
}

const STEPS: readonly Step[] = [
  ({ text, integer, strict, keyed }) => `create table credit_use (
     month ${text} not null, key_id ${text} not null, project ${text} not null, endpoint ${text} not null,
     credits ${integer} not null, calls ${integer} not null,
     primary key (month, key_id, project, endpoint)
   ) ${keyed};
   create table credit_total (
     subject ${text} not null, month ${text} not null, credits ${integer} not null,
     primary key (subject, month)
   ) ${keyed};
   create table credit_hold (
     request_id ${text} not null, meter ${text} not null, key_id ${text} not null, amount ${integer} not null,
     until ${integer} not null, pid ${integer} not null,
     -- Ids of processes are those of one machine.
     host ${text} not null default '',
     primary key (request_id, meter)
   ) ${keyed};
   create table credit_meters (
     key_id ${text} not null,
     meter ${text} not null,
     successes ${integer} not null,
     primary key (key_id, meter)
   ) ${strict}`,
]

const HOST = hostname()

/** Maximum number of projects that one key can name in a month. Each is counted separately and permanently. */
export const MOST_PROJECTS = 1000
/** The name under which the total of all keys is stored. No key has this id: ids of keys are hexadecimal, or `operator`. */
const ACCOUNT = "account"
/** Stored instead of a meter's name if the reserved credits are already known. */
const CREDITS = ""
/** Maximum number of keys for which the amount left under their limits is remembered from the last admitted call. */
const MOST_KNOWN = 10_000
/** How long credits reserved by a process that has ended stay reserved, unless another process notices sooner that it has ended. */
const HOLD_MS = 3_600_000

type LedgerQueries = Queries<LedgerTables>
type UseRow = Omit<LedgerTables["credit_use"], "calls">

// Statements that run for every counted call.
const addHold = once(
  (q: LedgerQueries, { request_id, meter, key_id, amount, until, pid, host }: LedgerTables["credit_hold"]) =>
    q.insertInto("credit_hold").values({ request_id, meter, key_id, amount, until, pid, host }),
)
const endHold = once((q: LedgerQueries, { requestId }: { readonly requestId: string }) =>
  q.deleteFrom("credit_hold").where("request_id", "=", requestId),
)
const held = (q: LedgerQueries, { now }: { readonly now: number }) =>
  q
    .selectFrom("credit_hold as h")
    .leftJoin("credit_meters as m", (join) =>
      join.onRef("m.key_id", "=", "h.key_id").onRef("m.meter", "=", "h.meter"),
    )
    .select((eb) => ["h.meter", eb.fn.sum<number>("amount").as("amount"), "successes"])
    .where("until", ">", now)
    .groupBy(["h.key_id", "h.meter", "successes"])
const heldOfAll = once(held)
const heldOfKey = once((q: LedgerQueries, at: { readonly now: number; readonly keyId: string }) =>
  held(q, at).where("h.key_id", "=", at.keyId),
)
const successesOf = once(
  (q: LedgerQueries, { key_id, meter }: Omit<LedgerTables["credit_meters"], "successes">) =>
    q.selectFrom("credit_meters").select("successes").where("key_id", "=", key_id).where("meter", "=", meter),
)
const addSuccesses = once((q: LedgerQueries, { key_id, meter, successes }: LedgerTables["credit_meters"]) =>
  q
    .insertInto("credit_meters")
    .values({ key_id, meter, successes })
    .onConflict((conflict) =>
      conflict.columns(["key_id", "meter"]).doUpdateSet((eb) => ({
        successes: eb("credit_meters.successes", "+", eb.ref("excluded.successes")),
      })),
    )
    .returning("successes"),
)
const addUse = once((q: LedgerQueries, { month, key_id, project, endpoint, credits }: UseRow) =>
  q
    .insertInto("credit_use")
    .values({ month, key_id, project, endpoint, credits, calls: 1 })
    .onConflict((conflict) =>
      conflict.columns(["month", "key_id", "project", "endpoint"]).doUpdateSet((eb) => ({
        credits: eb("credit_use.credits", "+", eb.ref("excluded.credits")),
        calls: eb("credit_use.calls", "+", 1),
      })),
    ),
)
const addTotal = once((q: LedgerQueries, { subject, month, credits }: LedgerTables["credit_total"]) =>
  q
    .insertInto("credit_total")
    .values({ subject, month, credits })
    .onConflict((conflict) =>
      conflict.columns(["subject", "month"]).doUpdateSet((eb) => ({
        credits: eb("credit_total.credits", "+", eb.ref("excluded.credits")),
      })),
    ),
)
const total = (q: LedgerQueries, { subject }: { readonly subject: string }) =>
  q
    .selectFrom("credit_total")
    .select((eb) => eb.fn.sum<number | null>("credits").as("credits"))
    .where("subject", "=", subject)
const totalOfAll = once(total)
const totalOfMonth = once((q: LedgerQueries, of: { readonly subject: string; readonly month: string }) =>
  total(q, of).where("month", "=", of.month),
)

const useForProject = once(
  (q: LedgerQueries, { month, key_id, project }: Pick<UseRow, "month" | "key_id" | "project">) =>
    q
      .selectFrom("credit_use")
      .select("project")
      .where("month", "=", month)
      .where("key_id", "=", key_id)
      .where("project", "=", project)
      .limit(1),
)
const projectsNamed = once((q: LedgerQueries, { month, key_id }: Pick<UseRow, "month" | "key_id">) =>
  q
    .selectFrom("credit_use")
    .select((eb) => eb.fn.count<number>("project").distinct().as("n"))
    .where("month", "=", month)
    .where("key_id", "=", key_id)
    .where("project", "<>", ""),
)

/** Brings the tables up to date. */
export const migrateLedger = (db: StateStore): void => migrate(db, "ledger", STEPS)

/**
 * Credits used by each key, in `state.db`. Before a call does any work, the maximum it may cost is reserved with {@link
 * hold}; its actual cost is written with {@link settle} before its answer is sent. So limits are exact to the credit,
 * however many calls run at once; each answered call is counted once; and credits reserved by a killed process are free
 * again after the next start. Call `hold`, `settle` and `release` inside a write transaction.
 */
export class Ledger {
  readonly plan: Plan
  readonly #db: StateStore
  readonly #queries: LedgerQueries
  readonly #handedOut: (key: ApiKey) => Promise<number>
  /** {@link Passed} after the last admitted call, by key and for all keys. */
  readonly #knownOfKeys = new Lru<string, number>(MOST_KNOWN)
  #knownOfAccount: number | undefined

  /** @param handedOut credits that a key gave to the keys it made */
  constructor(db: StateStore, plan: Plan, handedOut: (key: ApiKey) => Promise<number>) {
    migrateLedger(db)
    this.plan = plan
    this.#handedOut = handedOut
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** Whether a call with this key can be refused: a key without a limit needs no reserved credits. */
  isLimited({ creditLimit }: Pick<ApiKey, "creditLimit">): boolean {
    return creditLimit !== null || this.plan.credits !== null
  }

  /**
   * Whether calls with a key may count toward this project: the key has already named it this month, or has not reached
   * the maximum number of projects.
   */
  async mayName(keyId: string, project: string): Promise<boolean> {
    const ofMonth = { month: monthOf(Date.now()), key_id: keyId }
    if ((await useForProject.get(this.#db, { ...ofMonth, project })) !== undefined) return true
    return (await projectsNamed.get(this.#db, ofMonth))!.n < MOST_PROJECTS
  }

  /**
   * Reserves the maximum that a call may cost, or returns the limit that it would exceed. A call that cannot cost
   * anything never exceeds a limit.
   * @param uncounted credits that the ledger doesn't know about
   */
  async hold(
    call: Pick<LedgerCall, "requestId" | "key">,
    most: Cost,
    uncounted: Passed = NOTHING,
  ): Promise<Refusal | null> {
    const handedOut = await this.#handedOutBy(call.key)
    const of = { request_id: call.requestId, key_id: call.key.id, pid: process.pid, host: HOST }
    const until = Date.now() + HOLD_MS
    const put = (meter: Meter | typeof CREDITS, amount: number) =>
      addHold.run(this.#db, { ...of, meter, amount, until })
    // The store runs these statements in this order, and none of them waits for the previous one's result.
    const passed = this.#passed(call.key, handedOut)
    const puts = metersOf(most).map(([meter, pages]) => put(meter, pages))
    if (most.credits) puts.push(put(CREDITS, most.credits))
    const passedWithIt = this.#passed(call.key, handedOut)
    const [before, after] = await Promise.all([passed, passedWithIt, ...puts])
    const refusal = this.#refusal(sumOf(before, uncounted), sumOf(after, uncounted))
    if (refusal !== null) await this.release(call.requestId)
    const now = refusal === null ? after : before
    this.#knownOfKeys.set(call.key.id, now.key)
    this.#knownOfAccount = now.account
    return refusal
  }

  /**
   * Returns what {@link hold} would return, without writing anything.
   * @param credits the maximum that the call may cost
   * @param uncounted credits of the key, and of all keys, that the ledger doesn't know about
   */
  async refusal(key: ApiKey, credits: number, uncounted: Passed): Promise<Refusal | null> {
    return this.#refusalAfter(await this.#passed(key, await this.#handedOutBy(key)), credits, uncounted)
  }

  /**
   * Like {@link refusal}, based on the figures of the last admitted calls.
   * @returns undefined for a key that has a limit but no such figures
   */
  refusalAsKnown(
    { id, creditLimit }: ApiKey,
    credits: number,
    uncounted: Passed,
  ): Refusal | null | undefined {
    const key = creditLimit === null ? -Infinity : this.#knownOfKeys.get(id)
    const account = this.plan.credits === null ? -Infinity : this.#knownOfAccount
    if (key === undefined || account === undefined) return undefined
    return this.#refusalAfter({ key, account }, credits, uncounted)
  }

  /** Adds calls that were counted after the last one was admitted. */
  countedSince(keyId: string, credits: number): void {
    const known = this.#knownOfKeys.get(keyId)
    if (known !== undefined) this.#knownOfKeys.set(keyId, known + credits)
    if (this.#knownOfAccount !== undefined) this.#knownOfAccount += credits
  }

  #refusalAfter(passed: Passed, credits: number, uncounted: Passed): Refusal | null {
    const before = sumOf(passed, uncounted)
    return this.#refusal(before, sumOf(before, { key: credits, account: credits }))
  }

  #refusal(before: Passed, after: Passed): Refusal | null {
    if (after.key > Math.max(0, before.key)) return "key"
    if (after.account > Math.max(0, before.account)) return this.plan.paygo > 0 ? "paygo" : "plan"
    return null
  }

  /** The credits that a call would cost, according to the ledger's current counts. */
  async due(key: ApiKey, cost: Cost): Promise<number> {
    let sum = cost.credits ?? 0
    for (const [meter, pages] of metersOf(cost)) {
      const before = (await successesOf.get(this.#db, { key_id: key.id, meter }))?.successes ?? 0
      sum += dueBetween(meter, before, before + pages)
    }
    return sum
  }

  /** Credits that a key may still use or hand out, excluding reserved ones; Infinity without a limit. */
  async left(key: ApiKey): Promise<number> {
    // Avoids -0, which some number formats show.
    return 0 - (await this.#passed(key, await this.#handedOutBy(key))).key
  }

  /** Releases the credits reserved for a failed call. */
  async release(requestId: string): Promise<void> {
    await endHold.run(this.#db, { requestId })
  }

  /**
   * Counts a call. Page counts carry over between calls: five extracts of one page cost the same as one extract of
   * five, and a call may cost nothing.
   * @param cost at most the credits reserved
   * @param at when it was answered
   * @returns the credits charged
   */
  async settle(
    { requestId, key, project, endpoint }: CountedCall,
    cost: Cost,
    at = Date.now(),
  ): Promise<number> {
    let credits = cost.credits ?? 0
    for (const [meter, pages] of metersOf(cost)) {
      const after = (await addSuccesses.get(this.#db, { key_id: key.id, meter, successes: pages }))!.successes
      credits += dueBetween(meter, after - pages, after)
    }
    const month = monthOf(at)
    const subjects = credits > 0 ? [key.id, ACCOUNT] : []
    await Promise.all([
      this.isLimited(key) ? this.release(requestId) : null,
      addUse.run(this.#db, { month, key_id: key.id, project, endpoint, credits }),
      ...subjects.map((subject) => addTotal.run(this.#db, { subject, month, credits })),
    ])
    return credits
  }

  /** Credits a key used in its limit's period (this month if it has no limit), for one project or all. */
  async ofKey({ id, creditLimit }: ApiKey, project: string | null): Promise<Used> {
    const use = this.#useOf(project).where("key_id", "=", id)
    return used(
      creditLimit?.per === "total"
        ? await use
            .where("month", "in", (eb) =>
              eb.selectFrom("credit_total").select("month").where("subject", "=", id),
            )
            .execute()
        : await use.where("month", "=", monthOf(Date.now())).execute(),
    )
  }

  /** Credits a key used, by month (UTC, as `2026-11`), newest first. */
  async monthsOf(keyId: string): Promise<readonly { readonly month: string; readonly credits: number }[]> {
    return await this.#queries
      .selectFrom("credit_total")
      .select(["month", "credits"])
      .where("subject", "=", keyId)
      .orderBy("month", "desc")
      .execute()
  }

  /** Credits all keys used this month, for one project or all. */
  async ofAccount(project: string | null): Promise<Used> {
    return used(await this.#useOf(project).where("month", "=", monthOf(Date.now())).execute())
  }

  #useOf(project: string | null) {
    return this.#queries
      .selectFrom("credit_use")
      .select((eb) => ["endpoint", eb.fn.sum<number>("credits").as("credits")])
      .$if(project !== null, (q) => q.where("project", "=", project!))
      .groupBy("endpoint")
  }

  /**
   * Frees credits reserved by processes on this machine that have ended; credits reserved on other machines expire on
   * their own. Call this before this process reserves anything.
   */
  async recover(): Promise<void> {
    const own = this.#queries.selectFrom("credit_hold").select("pid").distinct().where("host", "=", HOST)
    for (const { pid } of await own.execute()) {
      if (pid === process.pid || !isAlive(pid)) {
        const lost = this.#queries.deleteFrom("credit_hold").where("pid", "=", pid)
        await lost.where("host", "=", HOST).execute()
      }
    }
    // Includes credits that were reserved while the clock was ahead.
    const now = Date.now()
    await this.#queries
      .deleteFrom("credit_hold")
      .where((eb) => eb.or([eb("until", "<", now), eb("until", ">", now + HOLD_MS)]))
      .execute()
  }

  /** Credits over the limits if everything reserved is charged: zero or negative while the limits are respected. */
  async #passed({ id, creditLimit }: ApiKey, handedOut: number): Promise<Passed> {
    const { credits: plan, paygo } = this.plan
    const used = async (subject: string, per: "month" | "total", keyId: string | null) => {
      const [total, held] = await Promise.all([this.#total(subject, per), this.#held(keyId)])
      return total + held
    }
    const [key, account] = await Promise.all([
      creditLimit === null ? -Infinity : used(id, creditLimit.per, id),
      plan === null ? -Infinity : used(ACCOUNT, "month", null),
    ])
    return {
      key: key + handedOut - (creditLimit?.credits ?? 0),
      account: account - (plan ?? 0) - paygo,
    }
  }

  /** Credits that a key with a limit gave to keys it made. */
  async #handedOutBy(key: ApiKey): Promise<number> {
    return key.creditLimit !== null && key.mayMakeKeys ? await this.#handedOut(key) : 0
  }

  async #total(subject: string, per: "month" | "total"): Promise<number> {
    const of = { subject, month: monthOf(Date.now()) }
    return (await (per === "month" ? totalOfMonth : totalOfAll).get(this.#db, of))?.credits ?? 0
  }

  /** The maximum that the calls in progress may cost, for one key or for all. */
  async #held(keyId: string | null): Promise<number> {
    const now = Date.now()
    const rows = await (keyId === null
      ? heldOfAll.all(this.#db, { now })
      : heldOfKey.all(this.#db, { now, keyId }))
    return rows.reduce((sum, { meter, amount, successes }) => {
      if (meter === CREDITS) return sum + amount
      const before = successes ?? 0
      return sum + dueBetween(meter, before, before + amount)
    }, 0)
  }
}

const NOTHING: Passed = { key: 0, account: 0 }

const sumOf = (one: Passed, other: Passed): Passed => ({
  key: one.key + other.key,
  account: one.account + other.account,
})

/** The month of a time in UTC, such as `2026-11`. */
const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

function used(rows: readonly { readonly endpoint: Endpoint; readonly credits: number }[]): Used {
  const byEndpoint = Object.fromEntries(rows.map(({ endpoint, credits }) => [endpoint, credits]))
  return { all: Object.values(byEndpoint).reduce((sum, credits) => sum + credits, 0), byEndpoint }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
