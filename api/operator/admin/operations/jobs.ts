import { JOB_RESULTS, JOB_STATES, type Visiting } from "#crawler/job.ts"
import { OUTCOME_WORDS } from "#crawler/jobs/progress.ts"
import { OUTCOME_KINDS } from "#crawler/outcome-name.ts"

import { bodyOf } from "../../../server/operation/published.ts"
import { accepted, EVENT_STREAM, EVENTS, ok, operations } from "../../../server/operation/operation.ts"
import { filled, noBody, ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/list-limits.ts"
import {
  byName,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  orNull,
  text,
  time,
  whole,
  withDefault,
} from "../../../server/schema/schemas.ts"
import { SourceShown } from "./source-schema.ts"

/** Maximum number of log lines and of failures of a job in one response. */
const MAX_LINES = 500
/** How long an event stream lasts. After that, a client has to reconnect with its key, so that a revoked key gets no further events. */
const STREAM_SECONDS = 60
/** Where the next part of a list of addresses begins: an outcome, a space, and an address. */
export const ADDRESS_CURSOR = "^[a-z0-9:-]+ https?://"

/** Which of the known pages a run visits. */
export const visits = oneOf(["all", "due", "failed"] as const satisfies readonly Visiting[])

export const result = orNull(
  oneOf(JOB_RESULTS, "How the job ended; null until it ends, and for a cancelled job."),
)
export const reason = orNull(text("Why `result` is not `finished`, in one line."))

const jobFields = {
  id: count(),
  source: text("Name of the source."),
  trigger: oneOf(["command", "run", "schedule", "api", "start"], "What started the job."),
  visits,
  state: oneOf(JOB_STATES),
  result,
  reason,
  created_at: time(),
  started_at: orNull(time()),
  ended_at: orNull(time()),
  queued: count("Known addresses that haven't been visited yet."),
  waits: listOf(
    object({
      host: text("Host name, with its port unless that is the default one."),
      until: time(),
      why: text("Why the last visit to the host failed."),
    }),
    "Hosts that the job is waiting to try again.",
  ),
  outcomes: byName(count(), "Visits by outcome: `indexed`, `skipped:robots`, `failed:dns` and so on."),
  changes: object(
    {
      new: count("Pages added to the index."),
      changed: count("Pages whose text changed."),
      gone: count("Pages removed from the index."),
    },
    "Changes that the run made to the index.",
  ),
  checked_by_copy: object(
    {
      pages: count("Pages with the outcome `unchanged` for which the run downloaded only the markdown copy."),
      spared_bytes: count("Bytes by which those pages are larger than their copies."),
    },
    "Downloads that markdown copies saved.",
  ),
  removals: orNull(
    object({
      removed: count("Pages removed from the index because of this run."),
      held: count("Removals that were waiting for an answer when the run ended."),
    }),
  ),
  note: orNull(text("A note about how the run ended.")),
  error: orNull(text("Why the run failed.")),
}

export const Job = namedObject("Job", jobFields)
const ended = object({ url: text(), outcome: text(), detail: orNull(text()) })
const JobDetail = namedObject("JobDetail", {
  ...jobFields,
  settings: SourceShown,
  failures: listOf(ended),
  log: listOf(object({ at: time(), level: oneOf(["info", "warn", "error"]), text: text() })),
})
const JobList = namedObject("JobList", { jobs: listOf(Job), ...ofSlice })
const JobAddresses = namedObject("JobAddresses", {
  addresses: listOf(ended),
  counted: count("All visits with this outcome, listed or not."),
  limit: count(),
  next: orNull(text("Value of `after` that gets the next part of the list; null at its end.")),
})
const Outcomes = namedObject("Outcomes", {
  outcomes: listOf(
    object({
      outcome: text(),
      kind: oneOf(OUTCOME_KINDS),
      meaning: text("The meaning in a few words."),
    }),
  ),
})

const path = { id: count("Number of the job.", { minimum: 1 }) }
export const ofSource = filled("Only this source; an unknown name is refused.")
const lines = (description: string) => withDefault(whole(0, MAX_LINES, description), 100)
/** A call that pauses, resumes or cancels a run. */
const action = <const Action extends string>(name: Action, summary: string, example: string) =>
  ({
    at: `POST /admin/jobs/{id}/${name}`,
    summary,
    description: "A running job first finishes the pages that it is reading.",
    path,
    body: noBody,
    answers: accepted(Job, "The job."),
    refusals: [404, 409, 422],
    examples: [{ summary: example, path: { id: "1" } }],
  }) as const

/** Runs of sources. */
export const jobOperations = operations("Jobs", "operator", {
  listJobs: {
    at: "GET /admin/jobs",
    summary: "Runs, newest first",
    query: { source: ofSource, state: oneOf(JOB_STATES, "Only jobs in this state."), ...sliceOf() },
    answers: ok(JobList, "The jobs."),
    examples: [{ summary: "The last five", query: { limit: "5" } }],
  },
  getJob: {
    at: "GET /admin/jobs/{id}",
    summary: "One run: its counts, log and failures",
    path,
    query: {
      log_limit: lines("Maximum number of log lines."),
      failure_limit: lines("Maximum number of failures."),
    },
    answers: ok(JobDetail, "The job."),
    refusals: [404],
    examples: [
      { summary: "One run", path: { id: "1" } },
      { summary: "No such run", path: { id: "999999" }, status: 404 },
    ],
  },
  listAddressesOfJob: {
    at: "GET /admin/jobs/{id}/addresses",
    summary: "Addresses of a run, by outcome",
    description:
      "Failed addresses are kept for the last 20 runs of a source. Other addresses are listed with the run that visited them last.",
    path,
    query: {
      outcome: oneOf(
        OUTCOME_WORDS,
        "Only addresses with this outcome: `skipped:empty`, `empty`, or `failed` for all failures.",
      ),
      limit: withDefault(whole(1, MAX_LIMIT, "Maximum number of addresses."), DEFAULT_LIMIT),
      after: text("`next` from the previous answer.", { pattern: ADDRESS_CURSOR }),
    },
    answers: ok(JobAddresses, "The addresses."),
    refusals: [404],
    examples: [
      { summary: "All addresses of a run", path: { id: "1" } },
      { summary: "Failed addresses", path: { id: "1" }, query: { outcome: "failed" } },
    ],
  },
  pauseJob: action("pause", "Pause a run", "Pause"),
  resumeJob: action("resume", "Resume a run", "Resume"),
  cancelJob: action("cancel", "Cancel a run", "Cancel"),
  skipHost: {
    at: "POST /admin/jobs/{id}/skip-host",
    summary: "Give up on a host for this run",
    description:
      "The run stops visiting addresses on the host at once, as if it had given up on the host. Known pages stay in the index, and the next run visits the host again.",
    path,
    body: bodyOf({ host: text("Name of the host, with its port unless that is the default one.") }),
    answers: accepted(Job, "The job."),
    refusals: [404, 409, 422],
    examples: [
      {
        summary: "Nothing to visit on the host",
        path: { id: "1" },
        body: { host: "old.example.org" },
        status: 409,
      },
    ],
  },
  followEvents: {
    at: "GET /admin/events",
    summary: "Follow runs, vectors and removals as they change",
    description: `Server-sent events. Each event holds the full state of its topic: \`runs\` (\`{"jobs", "running", "queued", "last"}\`, jobs as in \`/admin/jobs\`), \`vectors\` (\`index\` as in \`/admin/index\`) and \`removals\` (\`held\` as in \`/admin/removals\`). The stream begins with all topics or, given the header \`Last-Event-ID\`, with those that changed since that event. It ends after a minute, and clients connect again. At most \`FOSSICK_EVENT_STREAMS\` streams are open at a time.`,
    query: {
      seconds: withDefault(whole(1, STREAM_SECONDS, "Seconds until the stream ends."), STREAM_SECONDS),
    },
    answers: { 200: { description: "The events.", schema: EVENTS, type: EVENT_STREAM } },
    refusals: [429],
    examples: [{ summary: "For a second", query: { seconds: "1" } }],
  },
  outcomes: {
    at: "GET /admin/outcomes",
    tag: "Upkeep",
    summary: "Outcomes of visits and what they mean",
    answers: ok(Outcomes, "All outcomes."),
    examples: [{ summary: "All of them" }],
  },
})
