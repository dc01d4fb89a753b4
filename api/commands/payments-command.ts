import { parseArgs } from "node:util"

import { openStateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/config.ts"
import { endWithReader } from "#base/process/lost-reader.ts"
import { environment, readSettings, SettingsError } from "#base/settings.ts"

import { type Books, isDay, openBooks, type Span } from "../x402/books/books.ts"
import { salesAsCsv } from "../x402/books/csv.ts"
import { X402_OUTCOMES } from "../x402/books/outcomes.ts"

// `npm run payments`. It reads what the appliance wrote, whether that is running or not.

const USAGE = `Usage: npm run payments -- [days] [--from DAY] [--to DAY] [--json]
       npm run payments -- outcomes [--from DAY] [--to DAY] [--json]
       npm run payments -- csv [--from DAY] [--to DAY] > payments.csv

  days      what each day brought (default)
  outcomes  how requests to the paid search ended
  csv       every payment, for bookkeeping

  --from, --to  first and last day, as YYYY-MM-DD; days are those of UTC
`

class UsageError extends Error {}

function main(args: string[]): void {
  const { values, positionals } = parsed(args)
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const [command = "days", ...more] = positionals
  if (more.length > 0) throw new UsageError(`${more[0]} is too much.\n\n${USAGE}`)
  for (const name of ["from", "to"] as const) {
    if (values[name] !== undefined && !isDay(values[name]))
      throw new UsageError(`--${name} must be a day, as YYYY-MM-DD.`)
  }
  const show = COMMANDS[command]
  if (show === undefined) throw new UsageError(`There is no ${command} of payments.\n\n${USAGE}`)
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    show(openBooks(db), values, values.json)
  } finally {
    db.close()
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        from: { type: "string" },
        to: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`)
  }
}

const COMMANDS: Readonly<Record<string, (books: Books, span: Span, json: boolean) => void>> = {
  days(books, span, json) {
    const days = books.days(span)
    if (json) return printJson(days)
    if (days.length === 0) print("No payment arrived yet.")
    for (const { day, network, sales, usd } of days)
      print(`${day}  ${network}  ${String(sales).padStart(6)}  USD ${usd}`)
    const open = books.open()
    if (open > 0) print(`${open} more are open: nobody could tell yet whether they arrived.`)
  },
  outcomes(books, span, json) {
    const outcomes = books.outcomes(span)
    if (json) return printJson(outcomes)
    if (outcomes.length === 0) print("Nobody asked yet.")
    for (const { day, outcome, count } of outcomes) {
      print(`${day}  ${String(count).padStart(6)}  ${outcome.padEnd(24)}${X402_OUTCOMES[outcome]}`)
    }
  },
  csv(books, span) {
    for (const line of salesAsCsv(books.allSales(span))) process.stdout.write(line)
  },
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

endWithReader()
try {
  main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError) && !(error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
