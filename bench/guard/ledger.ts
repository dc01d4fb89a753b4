import { MOST } from "./statistic.ts"

/** A cost that was accepted. */
export interface Entry {
  /** `2026-11-28` */
  readonly date: string
  /** The commit that added the cost. */
  readonly commit: string
  readonly line: string
  /** The line's figure after the commit, divided by the figure before it; above 1. */
  readonly ratio: number
  readonly why: string
}

export const LEDGER = "bench/ledger.md"
const COLUMNS = ["date", "commit", "line", "ratio", "why"]
/** Minimum length of a reason: a shorter text can't be one. */
const LEAST_REASON_CHARS = 10

/**
 * The rows of the ledger's table, in order. Text around the table is for people.
 * @param lines names of lines that a row may use
 * @throws Error naming the first wrong row
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

/** Entries that only this checkout's ledger has. */
export function newEntries(now: readonly Entry[], before: readonly Entry[]): Entry[] {
  const key = (entry: Entry) => JSON.stringify(entry)
  const known = new Set(before.map(key))
  return now.filter((entry) => !known.has(key(entry)))
}

/** The highest ratio at which a line passes: the product of its entries' ratios and the limit that applies to every line. */
export const allowedFor = (line: string, entries: readonly Entry[]): number =>
  entries.reduce((most, entry) => (entry.line === line ? most * entry.ratio : most), MOST)
