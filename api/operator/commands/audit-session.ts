import { type AuditEntry, type AuditFilter, AuditLog, type FieldChange } from "#base/audit/audit-log.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { environment, readSettings } from "#base/settings.ts"
import { printableLine } from "#base/text/printable.ts"
import { table, timeText } from "#crawler/commands/sources/sources-text.ts"
import { withState } from "#crawler/commands/with-state.ts"

import { accountSettings } from "../../identity/accounts/settings.ts"
import { entryOnWire, lines } from "../audit/admin-routes.ts"

// Each function implements one `fossick audit` command: it reads the data folder and returns the exit code.

/** Filters for entries, with times as entered. */
export interface AuditWanted extends Pick<AuditFilter, "who" | "object" | "action"> {
  readonly from: string | undefined
  readonly before: string | undefined
}

/** Maximum number of an entry's fields shown on a line. */
const SHOWN_FIELDS = 3
const MAX_CHARS = 120

/** Shows the newest entries. */
export const showAudit = (wanted: AuditWanted, limit: number, json: boolean): Promise<number> =>
  withAudit(async (audit) => {
    const found = await audit.list(filterOf(wanted), { limit, offset: 0 })
    if (json) for (const entry of found) print(JSON.stringify(entryOnWire(entry)))
    else if (found.length === 0) print("No changes were recorded.")
    else
      table([
        ["WHEN", "WHO", "FROM", "WHAT", "OBJECT", "CHANGED"],
        ...found.map((entry) => [
          timeText(entry.at),
          printableLine(entry.who.name || entry.who.id),
          entry.address || "command line",
          printableLine(entry.action),
          printableLine(entry.object),
          changedText(entry),
        ]),
      ]).forEach(print)
    return EXIT.ok
  })

/** Writes all matching entries, oldest first, as JSON lines. */
export const exportAudit = (wanted: AuditWanted): Promise<number> =>
  withAudit(async (audit) => {
    for await (const line of lines(audit, filterOf(wanted))) process.stdout.write(line)
    return EXIT.ok
  })

const withAudit = (work: (audit: AuditLog) => Promise<number>): Promise<number> =>
  withState((db) => work(new AuditLog(db, readSettings(accountSettings, environment()).auditDays)))

function filterOf({ from, before, ...rest }: AuditWanted): AuditFilter {
  return { ...rest, from: timeOf("--from", from), before: timeOf("--before", before) }
}

/** @throws ArgumentsError */
function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new ArgumentsError(`${option} must be a time like 2026-01-31T00:00:00Z`)
  return time
}

function changedText({ changes }: Pick<AuditEntry, "changes">): string {
  const shown = changes.slice(0, SHOWN_FIELDS).map(fieldText)
  const left = changes.length - shown.length
  const text = [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(", ")
  return printableLine(text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text)
}

function fieldText({ field, before, after }: FieldChange): string {
  if (before === null) return after === null ? field : `${field}: ${after}`
  return `${field}: ${before} → ${after ?? "gone"}`
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
