import { Readable } from "node:stream"

import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import { serve } from "../../../server/serving/serve-operation.ts"
import type { RequestState } from "../../../context.ts"
import { badRequest } from "../../../errors.ts"
import { isDay, openBooks, type Sale, type Span } from "./books.ts"
import { salesAsCsv } from "./csv.ts"
import { paymentOperations as calls } from "./operations.ts"

/** The sales: a list, sums and outcomes by day, and a file for bookkeeping. Part of the admin API. */
export function paymentRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const books = openBooks(db)

  serve(router, calls.listPayments, async ({ query }) => {
    const span = spanOf(query)
    const { limit, offset } = query
    return {
      payments: (await books.sales({ ...span, limit, offset })).map(saleOnWire),
      total: await books.count(span),
      open: await books.open(),
      limit,
      offset,
    }
  })

  serve(router, calls.listPaymentDays, async ({ query }) => {
    const span = spanOf(query)
    return { revenue: await books.days(span), outcomes: await books.outcomes(span) }
  })

  serve(router, calls.exportPayments, async ({ ctx, query }) => {
    const sales = books.allSales(spanOf(query))
    // The file extension also determines the type of the response.
    ctx.attachment("payments.csv")
    ctx.body = Readable.from(salesAsCsv(sales))
    return undefined
  })
}

function spanOf(query: Span): Span {
  const day = (name: keyof Span): string | undefined => {
    const text = query[name]
    if (text !== undefined && !isDay(text))
      throw badRequest(`Invalid ${name}. Must be a date of the form YYYY-MM-DD.`)
    return text
  }
  return { from: day("from"), to: day("to") }
}

function saleOnWire(sale: Sale) {
  return {
    at: sale.at,
    amount_usd: sale.usd,
    network: sale.network,
    asset: sale.asset,
    payer: sale.payer,
    pay_to: sale.payTo,
    transaction: sale.transaction,
    x402_version: sale.version,
    delivered_at: sale.deliveredAt,
    verify_ms: sale.verifyMs,
    search_ms: sale.searchMs,
    settle_ms: sale.settleMs,
  }
}
