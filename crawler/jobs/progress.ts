import { duration } from "#base/text/duration.ts"
import { entriesOf, isFailure, type OutcomeName, pagesIn, shownOutcome } from "../outcome-name.ts"
import { bytesText, counted } from "#engine/commands/command-progress.ts"
import { printableLine } from "#base/text/printable.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { HostWait } from "../fetch/hosts/host-waits.ts"
import type { Job } from "../job.ts"

/** A job's counters, named as in the progress display. */
export interface Progress {
  /** Number of visits that have ended, however they ended. */
  readonly done: number
  /** Number of pages indexed or found unchanged. */
  readonly pages: number
  readonly failed: number
  readonly queued: number
  readonly pagesPerSecond: number
  /** Null while there is too little data for an estimate. */
  readonly secondsLeft: number | null
  /** Hosts that the job is waiting to try again. */
  readonly waits: readonly HostWait[]
}

/** The rate is measured over this many milliseconds, so that it follows a site that slows down. */
const WINDOW_MS = 10_000

/** Computes a job's progress from snapshots of it. */
export class ProgressMeter {
  readonly #samples: { readonly at: number; readonly done: number }[] = []

  measure(job: Job, now = steadyNow()): Progress {
    const { done, pages, failed } = totals(job)
    this.#samples.push({ at: now, done })
    while (this.#samples.length > 2 && now - (this.#samples[0]?.at ?? now) > WINDOW_MS) this.#samples.shift()
    const first = this.#samples[0] ?? { at: now, done }
    const seconds = (now - first.at) / 1000
    const pagesPerSecond = seconds > 0 ? (done - first.done) / seconds : 0
    const toDo = Math.min(job.queued, Math.max(0, job.source.limits.pages - pages))
    const secondsLeft = pagesPerSecond > 0 ? Math.round(toDo / pagesPerSecond) : null
    return { done, pages, failed, queued: job.queued, pagesPerSecond, secondsLeft, waits: job.waits }
  }
}

function totals(job: Job): { done: number; pages: number; failed: number } {
  let done = 0
  let failed = 0
  for (const [outcome, count] of entriesOf(job.outcomes)) {
    done += count
    if (isFailure(outcome)) failed += count
  }
  return { done, failed, pages: pagesIn(job.outcomes) }
}

export function progressLine(progress: Progress): string {
  const { done, failed, queued, pagesPerSecond, secondsLeft, waits } = progress
  const left = secondsLeft === null ? "" : `, ${duration(secondsLeft)} left`
  const [first, ...others] = waits.toSorted((a, b) => a.until.getTime() - b.until.getTime())
  const more = others.length === 0 ? "" : ` and ${others.length} more`
  const wait = first === undefined ? "" : `; ${waitText(first)}${more}`
  return `${done} done, ${queued} queued, ${failed} failed, ${pagesPerSecond.toFixed(1)} pages/s${left}${wait}`
}

export const addressesText = (count: number): string => `${count} ${count === 1 ? "address" : "addresses"}`

/** A line such as `waiting for host a.example: the connection was refused, next try 04:52:07`, in UTC like all times in the output of commands. */
export const waitText = ({ host, why, until }: HostWait): string =>
  `waiting for host ${host}: ${printableLine(why)}, next try ${until.toISOString().slice(11, 19)}`

/** What each outcome means, in words for a person who reads the summary. */
const MEANINGS: Readonly<Record<OutcomeName, string>> = {
  indexed: "new or changed, now searchable",
  unchanged: "the same as in the index",
  postponed: "the site asked to come back later",
  "skipped:robots": "robots.txt disallows them",
  "skipped:noindex": "the pages ask not to be indexed",
  "skipped:out-of-scope": "redirected out of the crawl's scope",
  "skipped:logout": "logout links, which would log the crawler out",
  "skipped:duplicate": "the same page under another address",
  "skipped:trap": "endless series of addresses, such as a calendar's",
  "skipped:soft-404": "not found, though the site answered 200",
  "skipped:gone": "no longer in the source",
  "skipped:unsupported-type": "no readable text",
  "skipped:undecodable": "fonts that don't map to letters",
  "skipped:too-large": "larger than FOSSICK_MAX_PAGE_BYTES",
  "skipped:empty": "no main content found",
  "failed:http-status": "the site answered with an error",
  "failed:dns": "the host name cannot be resolved",
  "failed:refused": "the connection was refused or lost",
  "failed:tls": "no secure connection",
  "failed:timeout": "no answer in time",
  "failed:redirect-loop": "endless redirects",
  "failed:blocked-address": "a private address that is not allowed",
  "failed:bad-encoding": "the answer was cut off or damaged",
  "failed:unreadable": "the page cannot be read",
  "failed:crashed": "reading the page crashed the crawler's process",
  "failed:cancelled": "cut short; the next run will visit them",
}

export const OUTCOME_NAMES = Object.keys(MEANINGS) as OutcomeName[]

/** All texts that mean some outcome, according to {@link isMeantBy}. */
export const OUTCOME_WORDS = [
  ...new Set(OUTCOME_NAMES.flatMap((name) => [name, ...(name.includes(":") ? name.split(":") : [])])),
].toSorted()

/** What an outcome means, in a few words. */
export const meaningOf = (outcome: OutcomeName): string => MEANINGS[outcome]

/** A job's outcomes, most frequent first, one per line, and how much was saved by markdown copies. */
export function summaryLines(job: Job): string[] {
  const entries = entriesOf(job.outcomes).sort(([, a], [, b]) => b - a)
  const width = Math.max(0, ...entries.map(([, count]) => String(count).length))
  const lines = entries.map(([outcome, count]) => {
    return `  ${String(count).padStart(width)}  ${shownOutcome(outcome).padEnd(26)} ${MEANINGS[outcome]}`
  })
  const { pages, sparedBytes } = job.checkedByCopy
  const spared = `  ${counted(pages, "page")} checked by their markdown copies, which saved ${bytesText(sparedBytes)}`
  return pages === 0 ? lines : [...lines, spared]
}
