import { sql as kysely } from "kysely"
import { queriesOf } from "#base/store/query/queries.ts"
import { leftWork, migrateProcesses } from "#base/store/processes/own-process.ts"
import {
  migrate,
  openStateStore,
  prepareOnce,
  type StateStore,
  transaction,
} from "#base/store/state-store.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

import type { X402Outcome } from "./outcomes.ts"

/** Which request a payment is for. Two requests of the same fingerprint are the same one. */
export interface Purchase {
  /** Names the authorization, see `Payment.id`. */
  readonly id: string
  /** SHA-256 of the payment and of the request it pays. */
  readonly fingerprint: string
}

/** What a settled payment brought, for the books. */
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

/** A payment that is settled, or may be. */
export interface Entry {
  readonly fingerprint: string
  /**
   * - `settling`: given to the facilitator, and not back yet. Of a process that died it means `unknown`.
   * - `unknown`: nobody could tell whether the money moved.
   * - `settled`: the money moved.
   */
  readonly state: "settling" | "unknown" | "settled"
  /** The answer as it stands on the wire; null once it was delivered. */
  readonly answer: string | null
  readonly receipt: Receipt | null
  /** When it was given to the facilitator first: milliseconds since 1970. */
  readonly since: number
}

export interface Unsettled extends Purchase {
  readonly since: number
  readonly authorization: string
}

/**
 * Remembers payments in `state.db` from before they are settled until they can no longer be used, and sales for good.
 *
 * What a call writes is on the disk when it returns: after a power cut, too, nobody is charged for an answer that nobody
 * remembers.
 */
export interface Ledger extends Disposable {
  get(id: string): Promise<Entry | null>
  /**
   * To be called before money can move.
   * @returns false when another process has that payment under way
   */
  begin(
    purchase: Purchase,
    facts: { validBefore: number; authorization: string; answer: string },
  ): Promise<boolean>
  /** Whether so many answers wait for their payers that no more are to be begun. */
  isFull(): Promise<boolean>
  /** Takes up a payment again that is `unknown`. @returns false when another process has it under way */
  resume(id: string): Promise<boolean>
  settled(
    id: string,
    receipt: Receipt,
    times: { verifyMs: number; searchMs: number; settleMs: number },
  ): Promise<void>
  unknown(id: string): Promise<void>
  /** No money moved, and none will: the authorization may be used again, or never. */
  forget(id: string): Promise<void>
  delivered(id: string): Promise<void>
  /** Of payments that lost processes were settling nobody can tell. */
  recover(): Promise<void>
  /** Payments nobody could tell about. */
  unsettled(): Promise<readonly Unsettled[]>
  /** Forgets payments that cannot be used any more. */
  sweep(): Promise<void>
  count(counts: ReadonlyMap<X402Outcome, number>): Promise<void>
}

/** Kept so long after an authorization ran out: its payer may still come back for the answer. */
const KEPT_SECONDS = 3600

const steps = [
  // No signature is kept: who comes back presents it again, and its digest is part of the fingerprint.
  `create table x402_payments (
     id text primary key,
     fingerprint text not null,
     state text not null check (state in ('settling', 'unknown', 'settled')),
     authorization text not null,
     answer text,
     receipt text,
     since integer not null,
     forget_at integer not null,
     -- The process that settles it.
     process text
   ) strict;
   create index x402_payments_by_end on x402_payments (forget_at);
   create table x402_sales (
     id integer primary key,
     at text not null,
     transaction_hash text not null,
     network text not null,
     asset text not null,
     payer text not null,
     pay_to text not null,
     amount integer not null,
     version integer not null,
     verify_ms integer not null,
     search_ms integer not null,
     settle_ms integer not null,
     delivered_at text,
     payment_id text not null unique
   ) strict;
   create index x402_sales_by_time on x402_sales (at);
   create table x402_outcomes (
     day text not null,
     outcome text not null,
     count integer not null,
     primary key (day, outcome)
   ) strict;
   create index x402_payments_by_answer on x402_payments (octet_length(answer)) where answer is not null`,
]

/** Answers that wait for payers: a search's is 20 KB as a rule, so thousands of payments would have to be left open. */
const MOST_BYTES = 256_000_000

/** Brings the tables up to date; for those who only read them. */
export const migrateX402 = (db: StateStore): void => migrate(db, "x402", steps)

/**
 * Opens the ledger in the data folder, on a connection of its own. Whoever opens it closes it.
 *
 * @param process id of this one among others on the same state; null: there is no other
 */
export async function openLedger(
  dataDir: string,
  mostBytes = MOST_BYTES,
  process: string | null = null,
): Promise<Ledger> {
  const db = await openStateStore(dataDir)
  await db.exec("pragma synchronous = full")
  migrateProcesses(db)
  migrateX402(db)
  const sql = prepareOnce(db)
  const left = leftWork(db, "x402_payments", "settling")
  const recover = async () => {
    if (await left.isThere())
      await kysely`update x402_payments set state = 'unknown' where ${left.where}`.execute(queriesOf(db))
  }
  await recover()
  return {
    async get(id) {
      const row = await sql(
        "select fingerprint, state, answer, receipt, since from x402_payments where id = ?",
      ).get(id)
      if (row === undefined) return null
      return {
        fingerprint: row["fingerprint"] as string,
        state: row["state"] as Entry["state"],
        answer: row["answer"] as string | null,
        receipt: JSON.parse((row["receipt"] ?? "null") as string) as Receipt | null,
        since: Number(row["since"]),
      }
    },
    async begin({ id, fingerprint }, { validBefore, authorization, answer }) {
      const { changes } = await sql(
        `insert into x402_payments (id, fingerprint, state, authorization, answer, since, forget_at, process)
         values (?, ?, 'settling', ?, ?, ?, ?, ?) on conflict (id) do nothing`,
      ).run(id, fingerprint, authorization, answer, Date.now(), (validBefore + KEPT_SECONDS) * 1000, process)
      return Number(changes) > 0
    },
    async isFull() {
      const row = await sql(
        "select sum(octet_length(answer)) as bytes from x402_payments where answer is not null",
      ).get()
      return Number(row!["bytes"] ?? 0) >= mostBytes
    },
    resume: async (id) =>
      Number(
        (
          await sql(
            "update x402_payments set state = 'settling', process = ? where id = ? and state = 'unknown'",
          ).run(process, id)
        ).changes,
      ) > 0,
    async settled(id, receipt, { verifyMs, searchMs, settleMs }) {
      await transaction(db, async () => {
        await sql("update x402_payments set state = 'settled', receipt = ? where id = ?").run(
          JSON.stringify(receipt),
          id,
        )
        await sql(
          `insert into x402_sales (at, transaction_hash, network, asset, payer, pay_to, amount, version,
                                   verify_ms, search_ms, settle_ms, payment_id)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (payment_id) do nothing`,
        ).run(
          new Date().toISOString(),
          receipt.transaction,
          receipt.network,
          receipt.asset,
          receipt.payer,
          receipt.payTo,
          Number(receipt.amount),
          receipt.version,
          ...[verifyMs, searchMs, settleMs].map(Math.round),
          id,
        )
      })
    },
    async unknown(id) {
      await sql("update x402_payments set state = 'unknown' where id = ? and state = 'settling'").run(id)
    },
    async forget(id) {
      await sql("delete from x402_payments where id = ? and state <> 'settled'").run(id)
    },
    async delivered(id) {
      await transaction(db, async () => {
        await sql("update x402_payments set answer = null where id = ?").run(id)
        await sql("update x402_sales set delivered_at = ? where payment_id = ? and delivered_at is null").run(
          new Date().toISOString(),
          id,
        )
      })
    },
    unsettled: async () =>
      (
        await sql(
          "select id, fingerprint, since, authorization from x402_payments where state = 'unknown'",
        ).all()
      ).map((row) => ({
        id: row["id"] as string,
        fingerprint: row["fingerprint"] as string,
        since: Number(row["since"]),
        authorization: row["authorization"] as string,
      })),
    async recover() {
      if (process !== null) await recover()
    },
    async sweep() {
      const before = await deletionTime(db, Date.now())
      await sql("delete from x402_payments where forget_at < ? and state <> 'settling'").run(before)
    },
    async count(counts) {
      const day = new Date().toISOString().slice(0, 10)
      await transaction(db, async () => {
        for (const [outcome, count] of counts) {
          await sql(
            `insert into x402_outcomes values (?, ?, ?)
             on conflict (day, outcome) do update set count = count + excluded.count`,
          ).run(day, outcome, count)
        }
      })
    },
    [Symbol.dispose]: () => db.close(),
  }
}
