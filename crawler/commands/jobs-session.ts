import { once } from "node:events"
import { ArgumentsError } from "#base/command-arguments.ts"
import type { AddressCursor } from "../crawl/frontier/job-addresses.ts"
import { entriesOf, isFailure, isMeantBy, type OutcomeName, pagesIn, shownOutcome } from "../outcome-name.ts"
import { EXIT } from "#base/exit-codes.ts"
import type { Job, JobState } from "../job.ts"
import { Jobs, RUNS_WITH_FAILURES } from "../jobs/jobs.ts"
import { printableLine } from "#base/text/printable.ts"
import { addressesText, OUTCOME_NAMES, summaryLines, waitText } from "../jobs/progress.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { table, timeText } from "./sources/sources-text.ts"
import { requireSource } from "../sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { withState } from "./with-state.ts"

const SHOWN_FAILURES = 20
const SHOWN_EVENTS = 50
/** Number of addresses that are read at a time. */
const CHUNK = 500

export interface JobFilter {
  readonly source: string | undefined
  readonly state: JobState | undefined
  readonly limit: number
}

// Each of these functions runs one `fossick jobs …` and returns the exit code.

export async function listJobs({ source, state, limit }: JobFilter, json: boolean): Promise<number> {
  return await withJobs(async (jobs, db) => {
    if (source !== undefined) await requireSource(db, source)
    const found = await jobs.list({
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
        doneText(job),
      ])
      const reasons = found.flatMap(({ id, reason }) => (reason === null ? [] : [`${id}: ${reason}`]))
      for (const line of table([["JOB", "SOURCE", "RESULT", "TRIGGER", "BEGAN", "DONE"], ...rows])) say(line)
      for (const line of reasons) say(line)
    }
    return EXIT.ok
  })
}

/** A run's result, and its note unless the reason below the table already says the same. */
function doneText({ outcomes, queued, note, reason, waits }: Job): string {
  const todo = queued > 0 ? `, ${addressesText(queued)} to visit` : ""
  const waiting = waits.length === 0 ? "" : `, waiting for ${counted(waits.length, "host")}`
  return `${counted(pagesIn(outcomes), "page")}${todo}${waiting}${note === null || reason !== null ? "" : ` (${note})`}`
}

export async function showJob(id: number, json: boolean): Promise<number> {
  return await withJobs(async (jobs) => {
    const job = await jobs.get(id)
    if (!job) return unknown(id)
    const failures = await jobs.failures(id, SHOWN_FAILURES)
    const events = await jobs.events(id, SHOWN_EVENTS)
    if (json) {
      say(JSON.stringify({ ...brief(job), failures, log: events }))
      return 0
    }
    say(`Job ${id}: ${job.source.name} (${job.source.seeds.join(", ")})`)
    say(`${endOf(job)}, trigger ${job.trigger}, requested ${timeText(job.createdAt)}, visits ${job.visits}`)
    if (job.startedAt) say(`started ${timeText(job.startedAt)}, ended ${timeText(job.endedAt)}`)
    if (job.reason !== null) say(`why: ${job.reason}`)
    if (job.note !== null) say(`note: ${job.note}`)
    if (job.queued > 0) say(`${addressesText(job.queued)} to visit`)
    for (const wait of job.waits) say(waitText(wait))
    for (const line of summaryLines(job)) say(line)
    if (failures.length > 0) say("Some failed addresses:")
    for (const { url, detail } of failures) say(`  ${url}: ${detail ?? "failed"}`)
    const more = Object.keys(job.outcomes).length > 0
    if (more)
      say(`fossick jobs show ${id} --outcome failed lists all failed addresses; other outcomes work too`)
    say("Log:")
    for (const { at, level, text } of events) say(`  ${at.toISOString()}  ${level.padEnd(5)}  ${text}`)
    return EXIT.ok
  })
}

/**
 * Writes every address of a job whose visit had this outcome. Each address is written as it is read, so that they are
 * never all held in memory.
 * @throws ArgumentsError for text that matches no outcome
 */
export async function listAddresses(id: number, text: string, json: boolean): Promise<number> {
  if (!OUTCOME_NAMES.some((name) => isMeantBy(name, text))) {
    throw new ArgumentsError(
      `There is no outcome ${JSON.stringify(text)}; the outcomes are ${OUTCOME_NAMES.join(", ")}`,
    )
  }
  return await withState(async (db) => {
    const jobs = new Jobs(db)
    const job = await jobs.get(id)
    if (!job) return unknown(id)
    const counted = entriesOf(job.outcomes).filter(([name]) => isMeantBy(name, text))
    const groups = counted.map(([name]) => ({ name, outcomes: [name] }))
    let listed = 0
    for (let after: AddressCursor | null = null; ;) {
      const some = await jobs.addresses(id, groups, { after, limit: CHUNK })
      for (const { url, outcome, detail } of some) {
        await written(json ? JSON.stringify({ url, outcome, detail }) : addressLine(url, outcome, detail))
      }
      listed += some.length
      const last = some.at(-1)
      if (last === undefined || some.length < CHUNK) break
      after = last
    }
    const total = counted.reduce((sum, [, count]) => sum + count, 0)
    if (total === 0) process.stderr.write(`No visit in job ${id} ended with this outcome.\n`)
    else if (listed < total) {
      const others = counted.some(([name]) => isFailure(name))
        ? `failed addresses are kept for the last ${RUNS_WITH_FAILURES} runs of a source.`
        : "the others have been visited by later runs and are listed there."
      process.stderr.write(`${listed} of ${total}: ${others}\n`)
    }
    return EXIT.ok
  })
}

const addressLine = (url: string, outcome: OutcomeName, detail: string | null): string =>
  `${url}  ${shownOutcome(outcome)}${detail === null ? "" : `: ${detail}`}`

/** Writes a line, waiting for a slow reader if necessary. */
async function written(line: string): Promise<void> {
  if (!process.stdout.write(`${printableLine(line)}\n`)) await once(process.stdout, "drain")
}

export const pauseJob = (id: number, json: boolean): Promise<number> =>
  change(id, json, async (jobs) => [
    await jobs.pause(id),
    `Job ${id} is being paused; to continue it, run fossick jobs resume ${id}`,
  ])

export const resumeJob = (id: number, json: boolean): Promise<number> =>
  change(id, json, async (jobs) => [
    await jobs.resume(id),
    (await jobs.hasCrawler())
      ? `Job ${id} is queued`
      : `Job ${id} is queued; it will continue when Fossick starts`,
  ])

export const cancelJob = (id: number, json: boolean): Promise<number> =>
  change(id, json, async (jobs) => [await jobs.cancel(id), `Job ${id} was cancelled`])

export const skipHost = (id: number, host: string, json: boolean): Promise<number> =>
  withJobs(async (jobs) => {
    const job = await jobs.get(id)
    if (!job) return unknown(id)
    if (!(await jobs.skipHost(id, host.toLowerCase()))) {
      process.stderr.write(`Job ${id} is ${job.state} and has nothing to visit on ${printableLine(host)}.\n`)
      return EXIT.failed
    }
    say(
      json
        ? JSON.stringify(brief((await jobs.get(id)) ?? job))
        : `Job ${id} will skip ${host} for the rest of this run`,
    )
    return EXIT.ok
  })

async function change(
  id: number,
  json: boolean,
  work: (jobs: Jobs) => Promise<[isDone: boolean, text: string]>,
): Promise<number> {
  return await withJobs(async (jobs) => {
    const [isDone, text] = await work(jobs)
    const job = await jobs.get(id)
    if (!job) return unknown(id)
    if (!isDone) {
      process.stderr.write(`Job ${id} is ${job.state}.\n`)
      return EXIT.failed
    }
    say(json ? JSON.stringify(brief(job)) : text)
    return EXIT.ok
  })
}

const withJobs = (work: (jobs: Jobs, db: StateStore) => Promise<number>): Promise<number> =>
  withState((db) => work(new Jobs(db), db))

function unknown(id: number): number {
  process.stderr.write(`There is no job ${id}. To see the newest jobs, run fossick jobs list.\n`)
  return EXIT.failed
}

/** How the run ended, or how far it has got. */
const endOf = ({ state, result }: Job): string => (result ?? state).replaceAll("-", " ")

/** A job with only its source's name and seeds. */
function brief({ source, ...job }: Job): object {
  return { ...job, source: source.name, seeds: source.seeds }
}

function say(text: string): void {
  process.stdout.write(`${printableLine(text)}
`)
}
