import { MOST } from "./statistic.ts"

/** A cost that a change names. */
export interface Entry {
  /** `2026-11-28` */
  readonly date: string
  /** The commit that costs it. */
  readonly commit: string
  readonly line: string
  /** What the line takes of what it took before; beyond 1. */
  readonly ratio: number
  readonly why: string
}

export const LEDGER = "bench/ledger.md"
const COLUMNS = ["date", "commit", "line", "ratio", "why"]
/** Shorter than any reason. */
const LEAST_REASON_CHARS = 10

/**
 * The rows of the ledger's table, in its order. Text around the table is for people.
 * @param lines names that a row may have
 * @throws Error naming the row that is not as it should be
 */
export function parseLedger(text: string, lines: readonly string[]): Entry[] {
  const rows = text
    .split("\n")
    .filter((row) => row.trimStart().startsWith("|"))
    .map(cellsOf)
  const [head, ruler, ...body] = rows
  if (head?.join() !== COLUMNS.join() || !ruler?.every((cell) => /^:?-+:?$/.test(cell)))
    throw new Error(`${LEDGER} needs one table with the columns ${COLUMNS.join(", ")}`)
  return body.map((cells) => {
    const [date = "", commit = "", line = "", ratio = "", why = ""] = cells
    const fault =
      (cells.length !== COLUMNS.length && `has ${cells.length} columns instead of ${COLUMNS.length}`) ||
      (!/^\d{4}-\d\d-\d\d$/.test(date) && "needs a date such as 2026-11-28") ||
      (!/^[0-9a-f]{7,40}$/.test(commit) && "needs the commit that costs it") ||
      (!lines.includes(line) && `names no line; there are ${lines.join(", ")}`) ||
      (!/^\d+\.\d+$/.test(ratio) && "needs a ratio such as 1.12") ||
      (Number(ratio) <= 1 && "needs a ratio beyond 1") ||
      (why.length < LEAST_REASON_CHARS && "needs a reason")
    if (fault) throw new Error(`${LEDGER}: the row "${cells.join(" | ")}" ${fault}`)
    return { date, commit, line, ratio: Number(ratio), why }
  })
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim())

/** What the ledger of this checkout has and the other one's has not. */
export function newEntries(now: readonly Entry[], before: readonly Entry[]): Entry[] {
  const key = (entry: Entry) => JSON.stringify(entry)
  const known = new Set(before.map(key))
  return now.filter((entry) => !known.has(key(entry)))
}

/** Up to which ratio a line passes: what its entries name together, and the noise that every line may have. */
export const allowedFor = (line: string, entries: readonly Entry[]): number =>
  entries.reduce((most, entry) => (entry.line === line ? most * entry.ratio : most), MOST)
