import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"

import { type Books, isDay, openBooks, type Span } from "../../doors/x402/books/books.ts"
import { salesAsCsv } from "../../doors/x402/books/csv.ts"
import { X402_OUTCOMES } from "../../doors/x402/books/outcomes.ts"
import { withState } from "#crawler/commands/with-state.ts"

/**
 * The `fossick payments …` command. It reads the appliance's records, whether the appliance is running or not.
 * @returns the exit code
 * @throws ArgumentsError
 */
export async function showPayments(
  what: keyof typeof SHOW,
  { from, to }: Span,
  json: boolean,
): Promise<number> {
  for (const [name, day] of Object.entries({ from, to })) {
    if (day !== undefined && !isDay(day))
      throw new ArgumentsError(`--${name} must be a day of the form YYYY-MM-DD.`)
  }
  await withState((db) => SHOW[what](openBooks(db), { from, to }, json))
  return EXIT.ok
}

const SHOW = {
  async days(books: Books, span: Span, json: boolean): Promise<void> {
    const days = await books.days(span)
    if (json) return printJson(days)
    if (days.length === 0) print("No payments yet.")
    for (const { day, network, sales, usd } of days)
      print(`${day}  ${network}  ${String(sales).padStart(6)}  USD ${usd}`)
    const open = await books.open()
    if (open > 0) print(`${open} more are open: it is not known yet whether they arrived.`)
  },
  async outcomes(books: Books, span: Span, json: boolean): Promise<void> {
    const outcomes = await books.outcomes(span)
    if (json) return printJson(outcomes)
    if (outcomes.length === 0) print("No requests yet.")
    for (const { day, outcome, count } of outcomes) {
      print(`${day}  ${String(count).padStart(6)}  ${outcome.padEnd(24)}${X402_OUTCOMES[outcome]}`)
    }
  },
  async csv(books: Books, span: Span): Promise<void> {
    for await (const line of salesAsCsv(books.allSales(span))) process.stdout.write(line)
  },
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))
