// Compares the cost of this checkout with that of another one: npm run bench -- guard --before <checkout or commit>
// [--only crawl,rest,…] [--minutes 9] [--together]
//
// Exits with 0 if every line passes, 1 if a line is slower than the ledger allows, and 3 if no line is slower but one
// can't be judged.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { machine, table } from "../measure.ts"
import { checkoutOf, OWN } from "./checkout.ts"
import { compare, HEAD, rowOf } from "./comparison.ts"
import { allowedFor, type Entry, LEDGER, newEntries, parseLedger } from "./ledger.ts"
import { LINES } from "./lines.ts"

const USAGE = `usage: npm run bench -- guard --before <checkout or commit> [--only ${LINES.join(",")}] [--minutes 9] [--together]`
const EXIT_SLOWER = 1
const EXIT_USAGE = 2
const EXIT_UNDECIDED = 3

const { values } = parseArgs({
  options: {
    /** The checkout or commit to compare with. */
    before: { type: "string" },
    only: { type: "string" },
    /** Runs both checkouts at the same time, for a busy machine. */
    together: { type: "boolean", default: false },
    /** Time after which no further pass begins, in minutes. */
    minutes: { type: "string", default: "9" },
  },
})
const only = values.only?.split(",") ?? LINES
const unknown = only.filter((name) => !LINES.includes(name))
if (values.before === undefined || unknown.length > 0 || !(Number(values.minutes) > 0)) {
  console.error(unknown.length > 0 ? `No line is called ${unknown.join(", ")}.\n${USAGE}` : USAGE)
  process.exit(EXIT_USAGE)
}
using other = checkoutOf(values.before)
const entries = newEntries(ledgerOf(OWN), ledgerOf(other.root))
const results = await compare({ before: other.root, now: OWN }, only, {
  together: values.together,
  minutes: Number(values.minutes),
  allowed: (line) => allowedFor(line, entries),
})
console.log(
  `${machine()}; before: ${values.before}${values.together ? ", both at the same time" : ", in turn"}\n\n${table([HEAD, ...results.map(rowOf)])}`,
)
const isAny = (verdict: string) => results.some((result) => result.verdict === verdict)
if (isAny("slower")) {
  console.log(`Make it as fast as before, or add a row with the reason to ${LEDGER}.`)
  process.exitCode = EXIT_SLOWER
} else if (isAny("undecided")) {
  console.log("Measure the noisy lines again on an idle machine, with more --minutes, or with --together.")
  process.exitCode = EXIT_UNDECIDED
}

/** The entries of a checkout's ledger; empty for a checkout from before the ledger existed. */
function ledgerOf(root: string): readonly Entry[] {
  const file = join(root, LEDGER)
  return existsSync(file) ? parseLedger(readFileSync(file, "utf8"), LINES) : []
}
