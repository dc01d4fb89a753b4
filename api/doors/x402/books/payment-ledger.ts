import { type Generated, sql } from "kysely"
import { leftWork, migrateProcesses } from "#base/store/processes/own-process.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { migrate, openStateStore, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

import type { X402Outcome } from "./outcomes.ts"

/** Identifies the request that a payment is for: two requests with the same fingerprint are the same. */
export interface Purchase {
  /** Identifies the authorization, see `Payment.id`. */
  readonly id: string
  /** SHA-256 of the payment and of the request it pays for. */
  readonly fingerprint: string
}

/** The income from a settled payment, for the books. */
export interface Receipt {
  readonly transaction: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly payTo: string
  /** In the token's smallest unit. */
  readonly amount: string
  readonly version: 1 | 2
}

/** A payment that is settled, or might be. */
export interface Entry {
  readonly fingerprint: string
  /**
   * - `settling`: sent to the facilitator, no reply yet. If the process has died, treat it as `unknown`.
   * - `unknown`: it isn't known whether the money moved.
   * - `settled`: the money moved.
   */
  readonly state: "settling" | "unknown" | "settled"
  /** The answer as sent; null after delivery. */
  readonly answer: string | null
  readonly receipt: Receipt | null
  /** When the payment was first sent to the facilitator, in milliseconds since 1970. */
  readonly since: number
}

export interface Unsettled extends Purchase {
  readonly since: number
  readonly authorization: string
}

/**
 * Records payments in `state.db` from before they are settled until they can no longer be used, and sales
 * permanently.
 *
 * A call returns only when its data is on the disk: even after a power cut, no payer is charged for an answer that
 * was lost.
 */
export interface Ledger extends Disposable {
  get(id: string): Promise<Entry | null>
  /**
   * Records that a payment is about to be settled. Must be called before money can move.
   * @returns false when another process is already handling that payment
   */
  begin(
    purchase: Purchase,
    facts: { validBefore: number; authorization: string; answer: string },
  ): Promise<boolean>
  /** Whether so many answers are waiting for their payers that no new purchase can be accepted. */
  isFull(): Promise<boolean>
  /** Resumes a payment that is `unknown`. @returns false when another process is already handling it */
  resume(id: string): Promise<boolean>
  settled(
    id: string,
    receipt: Receipt,
    times: { verifyMs: number; searchMs: number; settleMs: number },
  ): Promise<void>
  unknown(id: string): Promise<void>
  /** Deletes a payment. No money moved, and none will: the authorization is either unused, or can never be used. */
  forget(id: string): Promise<void>
  delivered(id: string): Promise<void>
  /** Marks payments as unknown if the processes that were settling them have ended. */
  recover(): Promise<void>
  /** Payments whose outcome is unknown. */
  unsettled(): Promise<readonly Unsettled[]>
  /** Deletes payments that can no longer be used. */
  sweep(): Promise<void>
  count(counts: ReadonlyMap<X402Outcome, number>): Promise<void>
}

/** How long a payment is kept after its authorization expires: its payer might still come back for the answer. */
const KEPT_SECONDS = 3600

export interface X402Tables {
  x402_payments: {
    id: string
    fingerprint: string
    state: Entry["state"]
    authorization: string
    answer: string | null
    receipt: string | null
    since: number
    forget_at: number
    process: string | null
  }
  x402_sales: {
    id: Generated<number>
    at: string
    transaction_hash: string
    network: string
    asset: string
    payer: string
    pay_to: string
    amount: number
    version: number
    verify_ms: number
    search_ms: number
    settle_ms: number
    delivered_at: Generated<string | null>
    payment_id: string
  }
  x402_outcomes: { day: string; outcome: X402Outcome; count: number }
}

const STEPS: readonly Step[] = [
  // No signature is kept: a returning payer presents it again, and its digest is part of the fingerprint.
  ({ id, text, integer, strict }) => `create table x402_payments (
     id ${text} primary key,
     fingerprint ${text} not null,
     state ${text} not null check (state in ('settling', 'unknown', 'settled')),
     "authorization" ${text} not null,
     answer ${text},
     receipt ${text},
     since ${integer} not null,
     forget_at ${integer} not null,
     -- The process that settles it.
     process ${text}
   ) ${strict};
   create index x402_payments_by_end on x402_payments (forget_at);
   create table x402_sales (
     id ${id},
     at ${text} not null,
     transaction_hash ${text} not null,
     network ${text} not null,
     asset ${text} not null,
     payer ${text} not null,
     pay_to ${text} not null,
     amount ${integer} not null,
     version ${integer} not null,
     verify_ms ${integer} not null,
     search_ms ${integer} not null,
     settle_ms ${integer} not null,
     delivered_at ${text},
     payment_id ${text} not null unique
   ) ${strict};
   create index x402_sales_by_time on x402_sales (at);
   create table x402_outcomes (
     day ${text} not null,
     outcome ${text} not null,
     count ${integer} not null,
     primary key (day, outcome)
   ) ${strict};
   create index x402_payments_by_answer on x402_payments (octet_length(answer)) where answer is not null`,
]

/** Maximum total size of answers waiting for payers. A search's answer is usually 20 KB, so it would take thousands of uncollected answers to reach this size. */
const MOST_BYTES = 256_000_000

/** Brings the tables up to date, for code that only reads them. */
export const migrateX402 = (db: StateStore): void => migrate(db, "x402", STEPS)

/**
 * Opens the ledger in the data folder, on its own connection. The caller closes it.
 * @param process id of this process among those that share the state; null if it is the only one
 */
export async function openLedger(
  dataDir: string,
  mostBytes = MOST_BYTES,
  process: string | null = null,
): Promise<Ledger> {
  const db = await openStateStore(dataDir)
  db.setDurable(true)
  migrateProcesses(db)
  migrateX402(db)
  const queries = queriesOf<X402Tables>(db)
  /** @returns whether a payment changed */
  const update = async (id: string, values: Partial<X402Tables["x402_payments"]>, state?: Entry["state"]) => {
    const { numUpdatedRows } = await queries
      .updateTable("x402_payments")
      .set(values)
      .where("id", "=", id)
      .$if(state !== undefined, (q) => q.where("state", "=", state!))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
  const left = leftWork(db, "x402_payments", "settling")
  const recover = async () => {
    if (await left.isThere())
      await sql`update x402_payments set state = 'unknown' where ${left.where}`.execute(queries)
  }
  await recover()
  return {
    async get(id) {
      const row = await queries
        .selectFrom("x402_payments")
        .select(["fingerprint", "state", "answer", "receipt", "since"])
        .where("id", "=", id)
        .executeTakeFirst()
      return row === undefined
        ? null
        : { ...row, receipt: JSON.parse(row.receipt ?? "null") as Receipt | null }
    },
    async begin({ id, fingerprint }, { validBefore, authorization, answer }) {
      const { numInsertedOrUpdatedRows: changes = 0n } = await queries
        .insertInto("x402_payments")
        .values({
          id,
          fingerprint,
          state: "settling",
          authorization,
          answer,
          since: Date.now(),
          forget_at: (validBefore + KEPT_SECONDS) * 1000,
          process,
        })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .executeTakeFirst()
      return changes > 0n
    },
    async isFull() {
      const { bytes } = await queries
        .selectFrom("x402_payments")
        .select(sql<number | null>`sum(octet_length(answer))`.as("bytes"))
        .where("answer", "is not", null)
        .executeTakeFirstOrThrow()
      return (bytes ?? 0) >= mostBytes
    },
    resume: (id) => update(id, { state: "settling", process }, "unknown"),
    async settled(id, receipt, { verifyMs, searchMs, settleMs }) {
      await transaction(db, async () => {
        await update(id, { state: "settled", receipt: JSON.stringify(receipt) })
        await queries
          .insertInto("x402_sales")
          .values({
            at: new Date().toISOString(),
            transaction_hash: receipt.transaction,
            network: receipt.network,
            asset: receipt.asset,
            payer: receipt.payer,
            pay_to: receipt.payTo,
            amount: Number(receipt.amount),
            version: receipt.version,
            verify_ms: Math.round(verifyMs),
            search_ms: Math.round(searchMs),
            settle_ms: Math.round(settleMs),
            payment_id: id,
          })
          .onConflict((conflict) => conflict.column("payment_id").doNothing())
          .execute()
      })
    },
    async unknown(id) {
      await update(id, { state: "unknown" }, "settling")
    },
    async forget(id) {
      await queries.deleteFrom("x402_payments").where("id", "=", id).where("state", "<>", "settled").execute()
    },
    async delivered(id) {
      await transaction(db, async () => {
        await update(id, { answer: null })
        await queries
          .updateTable("x402_sales")
          .set({ delivered_at: new Date().toISOString() })
          .where("payment_id", "=", id)
          .where("delivered_at", "is", null)
          .execute()
      })
    },
    unsettled: () =>
      queries
        .selectFrom("x402_payments")
        .select(["id", "fingerprint", "since", "authorization"])
        .where("state", "=", "unknown")
        .execute(),
    async recover() {
      if (process !== null) await recover()
    },
    async sweep() {
      const before = await deletionTime(db, Date.now())
      await queries
        .deleteFrom("x402_payments")
        .where("forget_at", "<", before)
        .where("state", "<>", "settling")
        .execute()
    },
    async count(counts) {
      const day = new Date().toISOString().slice(0, 10)
      await transaction(db, async () => {
        for (const [outcome, count] of counts) {
          await queries
            .insertInto("x402_outcomes")
            .values({ day, outcome, count })
            .onConflict((conflict) =>
              conflict
                .columns(["day", "outcome"])
                .doUpdateSet((eb) => ({ count: eb("x402_outcomes.count", "+", count) })),
            )
            .execute()
        }
      })
    },
    [Symbol.dispose]: () => db.close(),
  }
}
