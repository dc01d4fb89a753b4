import { engineSettings } from "#engine/config.ts"
import { environment, readSettings } from "#base/settings.ts"
import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { Jobs } from "../jobs/jobs.ts"
import { JOB_STATES, type Job, type JobState } from "../job.ts"
import { printable } from "#base/printable.ts"
import { summaryLines } from "../jobs/progress.ts"
import { runCommand } from "#base/run-command.ts"
import { table, timeText } from "./sources/sources-text.ts"
import { openStateStore } from "#base/store/state-store.ts"

// `npm run jobs`.

const HELP = `Usage: npm run jobs -- <command>

Commands:
  list              the newest jobs
                    --source NAME, --state STATE, --limit N (default 20)
  show <number>     all about one: counts by outcome, what failed, its log
  pause <number>    stop after the pages in hand; what is still to be read is remembered
  resume <number>   go on where it was paused
  cancel <number>   end it for good; pages that were read stay in the index

list and show take --json.
`

/** No such job, or none that can do so. */
const FAILED = 1
const SHOWN_FAILURES = 20
const SHOWN_EVENTS = 50

function main(args: readonly string[]): number {
  const { values, positionals } = parsed(args)
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [command, subject, ...more] = positionals
  const perform = COMMANDS[command ?? ""]
  if (!perform) {
    const names = Object.keys(COMMANDS).join(", ")
    throw new ArgumentsError(
      command === undefined ? "A command is missing" : `${command} is no command; there are ${names}`,
    )
  }
  if (more.length > 0 || (command === "list" && subject !== undefined)) {
    throw new ArgumentsError(`${[subject, ...more].at(-1)} is too much`)
  }
  if (command !== "list" && !/^\d{1,15}$/.test(subject ?? "")) {
    throw new ArgumentsError(`${command} wants the number of a job`)
  }
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    return perform(new Jobs(db), Number(subject), values)
  } finally {
    db.close()
  }
}

type Options = ReturnType<typeof parsed>["values"]

function parsed(args: readonly string[]) {
  return readArguments(args, {
    source: { type: "string" },
    state: { type: "string" },
    limit: { type: "string", default: "20" },
  })
}

/** What each command does; returns the exit code. */
const COMMANDS: Readonly<Record<string, (jobs: Jobs, id: number, options: Options) => number>> = {
  list(jobs, _, { source, state, limit, json }) {
    const wanted = state === undefined ? null : stateArgument(state)
    if (!/^[1-9]\d{0,6}$/.test(limit)) throw new ArgumentsError("--limit must be a whole number from 1")
    const found = jobs.list({
      limit: Number(limit),
      ...(source === undefined ? {} : { source }),
      ...(wanted === null ? {} : { state: wanted }),
    })
    if (json) for (const job of found) say(JSON.stringify(brief(job)))
    else if (found.length === 0) say("No jobs.")
    else {
      const rows = found.map((job) => [
        String(job.id),
        job.source.name,
        job.state,
        job.trigger,
        timeText(job.startedAt ?? job.createdAt),
        `${pagesOf(job)} pages${job.queued > 0 ? `, ${job.queued} addresses to do` : ""}${job.note === null ? "" : ` (${job.note})`}`,
      ])
      for (const line of table([["JOB", "SOURCE", "STATE", "ASKED BY", "BEGAN", "DONE"], ...rows])) say(line)
    }
    return 0
  },
  show(jobs, id, { json }) {
    const job = jobs.get(id)
    if (!job) return unknown(id)
    const failures = jobs.failures(id, SHOWN_FAILURES)
    const events = jobs.events(id, SHOWN_EVENTS)
    if (json) {
      say(JSON.stringify({ ...brief(job), failures, log: events }))
      return 0
    }
    say(`Job ${id}: ${job.source.name} (${job.source.seeds.join(", ")})`)
    say(`${job.state}, asked by ${job.trigger} at ${timeText(job.createdAt)}, visits ${job.visits}`)
    if (job.startedAt) say(`began ${timeText(job.startedAt)}, ended ${timeText(job.endedAt)}`)
    if (job.error !== null) say(`error: ${job.error}`)
    if (job.note !== null) say(`note: ${job.note}`)
    if (job.queued > 0) say(`${job.queued} addresses to do`)
    for (const line of summaryLines(job)) say(line)
    if (failures.length > 0) say("Failed, among others:")
    for (const { url, detail } of failures) say(`  ${url}: ${detail ?? "failed"}`)
    say("Log:")
    for (const { at, level, text } of events) say(`  ${at.toISOString()}  ${level.padEnd(5)}  ${text}`)
    return 0
  },
  pause: (jobs, id) =>
    changed(jobs, id, jobs.pause(id), `Job ${id} pauses; npm run jobs -- resume ${id} goes on with it`),
  resume: (jobs, id) =>
    changed(
      jobs,
      id,
      jobs.resume(id),
      jobs.hasCrawler() ? `Job ${id} is queued` : `Job ${id} is queued; it goes on when Fossick is started`,
    ),
  cancel: (jobs, id) => changed(jobs, id, jobs.cancel(id), `Job ${id} is cancelled`),
}

function changed(jobs: Jobs, id: number, isDone: boolean, text: string): number {
  if (isDone) {
    say(text)
    return 0
  }
  const job = jobs.get(id)
  if (!job) return unknown(id)
  process.stderr.write(`Job ${id} is ${job.state}.\n`)
  return FAILED
}

function unknown(id: number): number {
  process.stderr.write(`There is no job ${id}; npm run jobs -- list shows the newest.\n`)
  return FAILED
}

function stateArgument(text: string): JobState {
  const state = JOB_STATES.find((one) => one === text)
  if (state === undefined) throw new ArgumentsError(`--state must be one of ${JOB_STATES.join(", ")}`)
  return state
}

/** A job without the whole of its source. */
function brief({ source, ...job }: Job): object {
  return { ...job, source: source.name, seeds: source.seeds }
}

function pagesOf({ outcomes }: Job): number {
  return (outcomes["indexed"] ?? 0) + (outcomes["unchanged"] ?? 0)
}

function say(text: string): void {
  process.stdout.write(`${printable(text)}
`)
}

await runCommand("jobs", () => main(process.argv.slice(2)))
