import { isOver, type Job, type JobResult } from "../../job.ts"
import type { SourceStatus } from "../../sources/source-status.ts"
import { aboutSeconds } from "#base/text/duration.ts"
import { counted } from "#engine/commands/command-progress.ts"
import type { FullCrawl } from "../../sources/crawl-time.ts"
import { watcherOf } from "../../fetch/content/kinds.ts"
import type { SourceChange } from "../../sources/file/plan.ts"
import type { Schedule } from "../../jobs/tasks/schedule.ts"
import type { ListedSource } from "../../sources/source-table.ts"
import type { Source } from "../../source.ts"

/** A plan in words, one line per change; unchanged sources are only counted. */
export function planLines(changes: readonly SourceChange[], removePages: boolean): string[] {
  const lines = changes.flatMap((change) => [
    ...changeLines(change, removePages),
    ...wideningNotes(change),
    ...listNotes(change),
  ])
  const same = changes.filter(({ kind }) => kind === "unchanged").length
  if (same > 0) lines.push(`${same} unchanged`)
  return lines.length > 0 ? lines : ["No sources declared, and nothing to change"]
}

function* changeLines(
  { name, kind, fields, pages, pagesShared, pagesOutOfScope, fullCrawl }: SourceChange,
  removePages: boolean,
): Generator<string> {
  if (kind === "unchanged") return
  if (kind === "new") {
    yield `+ ${name}: new${pages > 0 ? `; ${pages} pages are already in the index under this name` : ""}`
  } else if (kind === "removed") {
    const fate = removePages
      ? `its ${pages} pages will be removed from the index${pagesShared > 0 ? `, except ${pagesShared} that other sources also have` : ""}`
      : `its ${pages} pages will stay in the index; to remove them, use --remove-pages`
    yield `- ${name}: no longer declared; ${pages === 0 ? "it has no pages" : fate}`
  } else {
    yield `~ ${name}: ${kind === "taken-over" ? "was declared over the API, now in the file" : "changed"}`
    for (const { field, from, to } of fields) yield `    ${field}: ${valueText(from)} -> ${valueText(to)}`
    if (pagesOutOfScope > 0) {
      yield `    ${pagesOutOfScope} of its ${pages} pages would no longer belong to it`
    }
  }
  if (fullCrawl) yield `    ${fullCrawlText(fullCrawl)}`
}

const OPENED = { everybody: "everybody", "signed-in": "everybody who signs in" } as const

/** Individual pages may have their own readers, which the plan does not count. */
const wideningNotes = ({ name, pages, opens }: SourceChange): string[] =>
  opens === undefined
    ? []
    : [
        `! ${name}: ${OPENED[opens]} will be able to read its ${counted(pages, "page")}, except pages with their own readers`,
      ]

const listNotes = ({ name, lists = [] }: SourceChange): string[] =>
  lists.map((note) => `! ${name}: in its last run, ${note}`)

/** `a full crawl: about 2,000 pages, 34 min at one request to a host each second`. */
function fullCrawlText({ pages, areKnown, seconds, delayMs }: FullCrawl): string {
  const count = `${pages.toLocaleString("en")} page${pages === 1 ? "" : "s"}`
  const time = aboutSeconds(seconds)
  const pace =
    delayMs === 0
      ? "without pauses"
      : `at one request per host ${delayMs === 1000 ? "per second" : `every ${delayMs / 1000} s`}`
  return areKnown
    ? `a full crawl: about ${count}, ${time} ${pace}`
    : `a full crawl: page count not known yet, at most ${count}, ${time} ${pace}`
}

const valueText = (value: unknown): string => JSON.stringify(value)

const HEADINGS = [
  "NAME",
  "PAGES",
  "NEW",
  "CHANGED",
  "REMOVED",
  "FAILED",
  "VECTORS",
  "LAST RESULT",
  "ENDED UTC",
  "NEXT UTC",
]
/** Positions of the numeric columns. */
const NUMBERS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6])
/** Longer names are cut, so that the table fits 120 columns as long as no source has a million pages. */
const MAX_NAME = 24

/** The sources as a table, with one-off crawls marked, followed by the reasons for runs that did not end well. */
export function listLines(
  entries: readonly ListedSource[],
  statuses: ReadonlyMap<string, SourceStatus>,
): string[] {
  if (entries.length === 0) return ["No sources are declared. See docs/sources.md."]
  const rows = entries.map((entry) => rowOf(entry, statuses.get(entry.source.name)))
  const troubles = entries.flatMap(({ source: { name } }) => {
    const trouble = troubleOf(statuses.get(name)?.lastJob ?? null) ?? statuses.get(name)?.lastResult?.reason
    const hidden = forNobodyText(statuses.get(name)?.pagesForNobody ?? 0)
    return [trouble, hidden].flatMap((text) => (text ? [`${name}: ${text}`] : []))
  })
  return [...table([HEADINGS, ...rows], NUMBERS), ...troubles]
}

/** A text saying how many pages nobody is allowed to read; `null` if there are none. */
export const forNobodyText = (pages: number): string | null =>
  pages === 0
    ? null
    : `nobody can read ${counted(pages, "page")}: they allow no one, or deny everyone they allow`

function rowOf(
  { source, origin, paused, nextRun }: ListedSource,
  status: SourceStatus | undefined,
): string[] {
  const { pages = 0, pagesWithVectors: embedded = null, lastResult = null, lastJob = null } = status ?? {}
  const count = (value: number | undefined) => (value === undefined ? "-" : value.toLocaleString("en"))
  return [
    source.name.length > MAX_NAME ? `${source.name.slice(0, MAX_NAME - 1).toWellFormed()}…` : source.name,
    count(pages),
    ...(["new", "changed", "gone", "failed"] as const).map((key) => count(lastResult?.[key])),
    pages === 0 || embedded === null ? "-" : `${Math.floor((100 * embedded) / pages)} %`,
    runText(lastJob?.state ?? null, lastResult?.result ?? null),
    shortTime(lastResult?.endedAt ?? null),
    origin === "one-off" ? "one-off" : whenNext(source, paused, nextRun),
  ]
}

function whenNext(source: Source, paused: boolean, nextRun: Date | null): string {
  const isWatched = watcherOf(source) !== null
  if (source.schedule === null && !isWatched) return "on request"
  if (paused) return "paused"
  return isWatched ? "on change" : shortTime(nextRun)
}

/** The state of a running job, otherwise the last result; a job that ended without a result shows its state. */
function runText(state: Job["state"] | null, result: JobResult | null): string {
  if (state !== null && !isOver(state)) return `${state} now`
  if (result !== null) return result === "finished-with-problems" ? "problems" : result
  return state ?? "never ran"
}

/** `11-21 03:15`, in UTC; the year is obvious. */
const shortTime = (time: Date | null): string =>
  time === null ? "-" : time.toISOString().slice(5, 16).replace("T", " ")

/** What the operator should know about how a run ended; `null` if there is nothing to report. */
export const troubleOf = (job: Pick<Job, "reason" | "note"> | null): string | null =>
  job?.reason ?? job?.note ?? null

/** Columns of equal width; `right`: indexes of the right-aligned ones. */
export function table(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) =>
        right.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  )
}

/** The time in UTC, to the minute. */
export function timeText(time: Date | null): string {
  return time === null ? "-" : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`
}

export function scheduleText({ cron, everyHours, timeZone, jitterMinutes }: Schedule): string {
  const times = cron === null ? `every ${everyHours} hours` : `${cron} (${timeZone})`
  return jitterMinutes === 0 ? times : `${times}, up to ${jitterMinutes} min later`
}

/** Prints a message for people or for programs. */
export const teller = (json: boolean) => (text: string, object: object) =>
  say(json ? JSON.stringify(object) : text)

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
