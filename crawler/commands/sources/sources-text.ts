import type { Job } from "../../job.ts"
import type { SourceChange } from "../../sources/plan.ts"
import type { Schedule } from "../../tasks/schedule.ts"
import type { SourceEntry } from "../../sources/source-table.ts"

/** A plan in words, one line each change; sources that stay as they are are counted. */
export function planLines(changes: readonly SourceChange[], removePages: boolean): string[] {
  const lines = changes.flatMap((change) => [...changeLines(change, removePages)])
  const same = changes.filter(({ kind }) => kind === "unchanged").length
  if (same > 0) lines.push(`${same} unchanged`)
  return lines.length > 0 ? lines : ["No sources, and none before"]
}

function* changeLines(
  { name, kind, fields, pages, pagesShared, pagesOutOfScope }: SourceChange,
  removePages: boolean,
): Generator<string> {
  if (kind === "unchanged") return
  if (kind === "new") {
    yield `+ ${name}: new${pages > 0 ? `; ${pages} pages are in the index under this name already` : ""}`
  } else if (kind === "removed") {
    const fate = removePages
      ? `its ${pages} pages are removed from the index${pagesShared > 0 ? `, but for ${pagesShared} that other sources have, too` : ""}`
      : `its ${pages} pages stay in the index; --remove-pages removes them`
    yield `- ${name}: no longer declared; ${pages === 0 ? "it has no pages" : fate}`
  } else {
    yield `~ ${name}: ${kind === "taken-over" ? "was declared over the API, now by the file" : "changed"}`
    for (const { field, from, to } of fields) yield `    ${field}: ${valueText(from)} -> ${valueText(to)}`
    if (pagesOutOfScope > 0) {
      yield `    ${pagesOutOfScope} of its ${pages} pages would no longer belong to it`
    }
  }
}

const valueText = (value: unknown): string => JSON.stringify(value)

/** The declared sources as a table. */
export function listLines(entries: readonly SourceEntry[], lastJobs: ReadonlyMap<string, Job>): string[] {
  if (entries.length === 0) return ["No source is declared. docs/sources.md shows how."]
  const rows = entries.map(({ source, origin, paused, nextRun }) => {
    const last = lastJobs.get(source.name)
    const next = source.schedule === null ? "when asked" : paused ? "paused" : timeText(nextRun)
    return [
      source.name,
      origin,
      next,
      last ? `${last.state} ${timeText(last.endedAt ?? last.createdAt)}` : "never",
    ]
  })
  const troubles = entries.flatMap(({ source: { name } }) => {
    const last = lastJobs.get(name)
    const trouble = last && troubleOf(last)
    return trouble ? [`${name}: ${trouble}`] : []
  })
  return [...table([["NAME", "FROM", "NEXT RUN", "LAST RUN"], ...rows]), ...troubles]
}

/** What the operator should know of how a run ended; null: nothing. */
export const troubleOf = ({ error, note }: Pick<Job, "error" | "note">): string | null => error ?? note

/** Columns of equal width. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

/** In UTC, to the minute. */
export function timeText(time: Date | null): string {
  return time === null ? "-" : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`
}

export function scheduleText({ cron, everyHours, timeZone, jitterMinutes }: Schedule): string {
  const times = cron === null ? `every ${everyHours} hours` : `${cron} (${timeZone})`
  return jitterMinutes === 0 ? times : `${times}, up to ${jitterMinutes} min later`
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/** Says it to people, or to programs. */
export const teller = (json: boolean) => (text: string, object: object) =>
  say(json ? JSON.stringify(object) : text)

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
