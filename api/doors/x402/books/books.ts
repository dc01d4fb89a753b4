import { sql } from "kysely"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { migrateX402, type X402Tables } from "./payment-ledger.ts"
import type { X402Outcome } from "./outcomes.ts"

/** One payment that was received. */
export interface Sale {
  readonly at: string
  readonly transaction: string
  /** CAIP-2. */
  readonly network: string
  /** The token's contract address. */
  readonly asset: string
  readonly payer: string
  readonly payTo: string
  /** In US dollars, with six decimals. */
  readonly usd: string
  readonly version: number
  readonly verifyMs: number
  readonly searchMs: number
  readonly settleMs: number
  /** Null if the payer has not fetched the answer yet. */
  readonly deliveredAt: string | null
}

/** The income on one day (UTC) on one network. */
export interface Day {
  readonly day: string
  readonly network: string
  readonly sales: number
  readonly usd: string
}

/** The range of sales: from the first day to the last, inclusive (`YYYY-MM-DD`, UTC). */
export interface Span {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The sales, from the ledger's own records: only payments that were received are counted. */
export interface Books {
  /** All sales, newest first. */
  sales(span: Span & { readonly limit: number; readonly offset: number }): Promise<readonly Sale[]>
  count(span: Span): Promise<number>
  /** All sales, oldest first; read row by row, however many there are. */
  allSales(span: Span): AsyncIterable<Sale>
  /** The income by day, newest first. */
  days(span: Span): Promise<readonly Day[]>
  /** How often requests ended in each way, by day; newest first. */
  outcomes(
    span: Span,
  ): Promise<readonly { readonly day: string; readonly outcome: X402Outcome; readonly count: number }[]>
  /** The number of payments whose outcome is still unknown. */
  open(): Promise<number>
}

export function openBooks(db: StateStore): Books {
  migrateX402(db)
  const queries = queriesOf<X402Tables>(db)
  const sold = (span: Span) => {
    const [from, to] = bounds(span)
    return queries.selectFrom("x402_sales").where("at", ">=", from).where("at", "<", to)
  }
  const sales = (span: Span) =>
    sold(span).select([
      "at",
      "transaction_hash as transaction",
      "network",
      "asset",
      "payer",
      "pay_to as payTo",
      "amount",
      "version",
      "verify_ms as verifyMs",
      "search_ms as searchMs",
      "settle_ms as settleMs",
      "delivered_at as deliveredAt",
    ])
  const n = sql<number>`count(*)`.as("n")
  return {
    async sales({ limit, offset, ...span }) {
      const rows = await sales(span).orderBy("id", "desc").limit(limit).offset(offset).execute()
      return rows.map(inDollars)
    },
    count: async (span) => (await sold(span).select(n).executeTakeFirstOrThrow()).n,
    async *allSales(span) {
      for await (const row of sales(span).orderBy("id").stream()) yield inDollars(row)
    },
    async days(span) {
      const rows = await sold(span)
        .select((eb) => [
          sql<string>`substr(at, 1, 10)`.as("day"),
          "network",
          eb.fn.countAll<number>().as("sales"),
          eb.fn.sum<number>("amount").as("amount"),
        ])
        .groupBy(["day", "network"])
        .orderBy("day", "desc")
        .orderBy("network")
        .execute()
      return rows.map(inDollars)
    },
    outcomes: ({ from = FIRST_DAY, to = LAST_DAY }) =>
      queries
        .selectFrom("x402_outcomes")
        .selectAll()
        .where("day", ">=", from)
        .where("day", "<=", to)
        .orderBy("day", "desc")
        .orderBy("outcome")
        .execute(),
    open: async () => {
      const open = queries.selectFrom("x402_payments").select(n).where("state", "<>", "settled")
      return (await open.executeTakeFirstOrThrow()).n
    },
  }
}

/** As text, this sorts before all days. */
const FIRST_DAY = ""
const LAST_DAY = "9999-99-99"

/** Times are stored as ISO 8601, so all times of a day sort between its date and that date followed by `U`, the letter after `T`. */
const bounds = ({ from = FIRST_DAY, to = LAST_DAY }: Span): [string, string] => [from, `${to}U`]

/** Amounts with six decimals are kept as a whole number, so sums stay exact. */
const inDollars = <T extends { readonly amount: number }>({ amount, ...row }: T) => ({
  ...row,
  usd: (amount / 1e6).toFixed(6),
})

/** Whether some text is a date in the format used for ranges. */
export const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`)
  // Years with more than four digits are written with a sign.
  return /^\d/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${text}T`)
}
