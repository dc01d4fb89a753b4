import type { Sale } from "./books.ts"

const COLUMNS: readonly (readonly [string, (sale: Sale) => string])[] = [
  ["at", ({ at }) => at],
  ["amount_usd", ({ usd }) => usd],
  ["network", ({ network }) => network],
  ["asset", ({ asset }) => asset],
  ["payer", ({ payer }) => payer],
  ["pay_to", ({ payTo }) => payTo],
  ["transaction", ({ transaction }) => transaction],
  ["delivered_at", ({ deliveredAt }) => deliveredAt ?? ""],
]

/** Sales for bookkeeping (RFC 4180), starting with a header line. No value contains a comma, a quote or a formula. */
export async function* salesAsCsv(sales: AsyncIterable<Sale>): AsyncGenerator<string> {
  yield `${COLUMNS.map(([name]) => name).join(",")}\r\n`
  for await (const sale of sales) yield `${COLUMNS.map(([, value]) => value(sale)).join(",")}\r\n`
}
