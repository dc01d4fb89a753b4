import { pagesIn } from "../outcome-name.ts"
import { EXIT } from "#base/exit-codes.ts"
import type { Job, JobState } from "../job.ts"
import { Jobs } from "../jobs/jobs.ts"
import { printableLine } from "#base/printable.ts"
import { summaryLines } from "../jobs/progress.ts"
import { table, timeText } from "./sources/sources-text.ts"
import { requireSource } from "../sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { withState } from "./with-state.ts"

const SHOWN_FAILURES = 20
const SHOWN_EVENTS = 50

export interface JobFilter {
  readonly source: string | undefined
  readonly state: JobState | undefined
  readonly limit: number
}

// One `fossick jobs …` each; they return the exit code.

export function listJobs({ source, state, limit }: JobFilter, json: boolean): number {
  return withJobs((jobs, db) => {
    if (source !== undefined) requireSource(db, source)
    const found = jobs.list({
      limit,
      ...(source !== undefined && { source }),
      ...(state !== undefined && { state }),
    })
    if (json) for (const job of found) say(JSON.stringify(brief(job)))
    else if (found.length === 0) say("No jobs.")
    else {
      const rows = found.map((job) => [
        String(job.id),
        job.source.name,
        job.result ?? job.state,
        job.trigger,
        timeText(job.startedAt ?? job.createdAt),
        `${pagesIn(job.outcomes)} pages${job.queued > 0 ? `, ${job.queued} addresses to do` : ""}${job.note === null ? "" : ` (${job.note})`}`,
      ])
      const reasons = found.flatMap(({ id, reason }) => (reason === null ? [] : [`${id}: ${reason}`]))
      for (const line of table([["JOB", "SOURCE", "RESULT", "ASKED BY", "BEGAN", "DONE"], ...rows])) say(line)
      for (const line of reasons) say(line)
    }
    return EXIT.ok
  })
}

export function showJob(id: number, json: boolean): number {
  return withJobs((jobs) => {
    const job = jobs.get(id)
    if (!job) return unknown(id)
    const failures = jobs.failures(id, SHOWN_FAILURES)
    const events = jobs.events(id, SHOWN_EVENTS)
    if (json) {
      say(JSON.stringify({ ...brief(job), failures, log: events }))
      return 0
    }
    say(`Job ${id}: ${job.source.name} (${job.source.seeds.join(", ")})`)
    say(`${endOf(job)}, asked by ${job.trigger} at ${timeText(job.createdAt)}, visits ${job.visits}`)
    if (job.startedAt) say(`began ${timeText(job.startedAt)}, ended ${timeText(job.endedAt)}`)
    if (job.reason !== null) say(`why: ${job.reason}`)
    if (job.note !== null) say(`note: ${job.note}`)
    if (job.queued > 0) say(`${job.queued} addresses to do`)
    for (const line of summaryLines(job)) say(line)
    if (failures.length > 0) say("Failed, among others:")
    for (const { url, detail } of failures) say(`  ${url}: ${detail ?? "failed"}`)
    say("Log:")
    for (const { at, level, text } of events) say(`  ${at.toISOString()}  ${level.padEnd(5)}  ${text}`)
    return EXIT.ok
  })
}

export const pauseJob = (id: number, json: boolean): number =>
  change(id, json, (jobs) => [jobs.pause(id), `Job ${id} pauses; fossick jobs resume ${id} continues it`])

export const resumeJob = (id: number, json: boolean): number =>
  change(id, json, (jobs) => [
    jobs.resume(id),
    jobs.hasCrawler() ? `Job ${id} is queued` : `Job ${id} is queued; it continues when Fossick starts`,
  ])

export const cancelJob = (id: number, json: boolean): number =>
  change(id, json, (jobs) => [jobs.cancel(id), `Job ${id} is cancelled`])

function change(id: number, json: boolean, work: (jobs: Jobs) => [isDone: boolean, text: string]): number {
  return withJobs((jobs) => {
    const [isDone, text] = work(jobs)
    const job = jobs.get(id)
    if (!job) return unknown(id)
    if (!isDone) {
      process.stderr.write(`Job ${id} is ${job.state}.\n`)
      return EXIT.failed
    }
    say(json ? JSON.stringify(brief(job)) : text)
    return EXIT.ok
  })
}

const withJobs = (work: (jobs: Jobs, db: StateStore) => number): number =>
  withState((db) => work(new Jobs(db), db))

function unknown(id: number): number {
  process.stderr.write(`There is no job ${id}; fossick jobs list shows the newest.\n`)
  return EXIT.failed
}

/** How it ended, or where it stands. */
const endOf = ({ state, result }: Job): string => (result ?? state).replaceAll("-", " ")

/** A job without the whole of its source. */
function brief({ source, ...job }: Job): object {
  return { ...job, source: source.name, seeds: source.seeds }
}

function say(text: string): void {
  process.stdout.write(`${printableLine(text)}
`)
}
