import type { StateStore } from "#base/store/state-store.ts"

import { migrateX402 } from "./payment-ledger.ts"
import type { X402Outcome } from "./outcomes.ts"

/** One payment that arrived. */
export interface Sale {
  readonly at: string
  readonly transaction: string
  /** CAIP-2. */
  readonly network: string
  /** The token's contract. */
  readonly asset: string
  readonly payer: string
  readonly payTo: string
  /** In US dollars, with six decimals. */
  readonly usd: string
  readonly version: number
  readonly verifyMs: number
  readonly searchMs: number
  readonly settleMs: number
  /** Null while the payer has not come back for the answer. */
  readonly deliveredAt: string | null
}

/** What a day (UTC) brought on one network. */
export interface Day {
  readonly day: string
  readonly network: string
  readonly sales: number
  readonly usd: string
}

/** Which sales: from the first day to the last one, both included (`YYYY-MM-DD`, UTC). */
export interface Span {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** What was sold, from the ledger's own records: only payments that arrived are in it. */
export interface Books {
  /** Newest first. */
  sales(span: Span & { readonly limit: number; readonly offset: number }): Promise<readonly Sale[]>
  count(span: Span): Promise<number>
  /** Oldest first; read row by row, however many there are. */
  allSales(span: Span): AsyncIterable<Sale>
  /** Newest first. */
  days(span: Span): Promise<readonly Day[]>
  /** How often requests ended in each way, by day; newest first. */
  outcomes(
    span: Span,
  ): Promise<readonly { readonly day: string; readonly outcome: X402Outcome; readonly count: number }[]>
  /** Payments that nobody could tell about yet. */
  open(): Promise<number>
}

export function openBooks(db: StateStore): Books {
  migrateX402(db)
  const inSpan = "at >= ? and at < ?"
  const select = `select at, transaction_hash, network, asset, payer, pay_to, amount, version, verify_ms, search_ms,
                         settle_ms, delivered_at from x402_sales where ${inSpan}`
  return {
    sales: async ({ limit, offset, ...span }) =>
      (
        await db.prepare(`${select} order by id desc limit ? offset ?`).all(...bounds(span), limit, offset)
      ).map(saleOf),
    count: async (span) =>
      Number(
        (await db.prepare(`select count(*) as n from x402_sales where ${inSpan}`).get(...bounds(span)))!["n"],
      ),
    async *allSales(span) {
      for await (const row of db.prepare(`${select} order by id`).iterate(...bounds(span))) yield saleOf(row)
    },
    days: async (span) =>
      (
        await db
          .prepare(
            `select substr(at, 1, 10) as day, network, count(*) as sales, sum(amount) as amount
           from x402_sales where ${inSpan} group by day, network order by day desc, network`,
          )
          .all(...bounds(span))
      ).map((row) => ({
        day: String(row["day"]),
        network: String(row["network"]),
        sales: Number(row["sales"]),
        usd: usd(Number(row["amount"])),
      })),
    outcomes: async ({ from = FIRST_DAY, to = LAST_DAY }) =>
      (
        await db
          .prepare(
            `select day, outcome, count from x402_outcomes where day >= ? and day <= ? order by day desc, outcome`,
          )
          .all(from, to)
      ).map((row) => ({
        day: String(row["day"]),
        outcome: row["outcome"] as X402Outcome,
        count: Number(row["count"]),
      })),
    open: async () =>
      Number(
        (await db.prepare("select count(*) as n from x402_payments where state <> 'settled'").get())!["n"],
      ),
  }
}

/** Before all others, as a text. */
const FIRST_DAY = ""
const LAST_DAY = "9999-99-99"

/** Times are kept as ISO 8601, so a day's moments lie between its name and its name with something after `T`. */
const bounds = ({ from = FIRST_DAY, to = LAST_DAY }: Span): [string, string] => [from, `${to}U`]

/** Six decimals of money are kept as a whole number, which no sum can make inexact. */
const usd = (units: number): string => (units / 1e6).toFixed(6)

function saleOf(row: Readonly<Record<string, unknown>>): Sale {
  return {
    at: String(row["at"]),
    transaction: String(row["transaction_hash"]),
    network: String(row["network"]),
    asset: String(row["asset"]),
    payer: String(row["payer"]),
    payTo: String(row["pay_to"]),
    usd: usd(Number(row["amount"])),
    version: Number(row["version"]),
    verifyMs: Number(row["verify_ms"]),
    searchMs: Number(row["search_ms"]),
    settleMs: Number(row["settle_ms"]),
    deliveredAt: row["delivered_at"] as string | null,
  }
}

/** Whether a day is one, in the form spans have. */
export const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`)
  // Years of more digits are written with a sign.
  return /^\d/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${text}T`)
}
