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

/** Lines of a job's log, and failures of it, that one answer may hold. */
const MAX_LINES = 500
/** Then a client asks for events again, with its key: one that was taken back learns nothing further. */
const STREAM_SECONDS = 60
/** Where a list of addresses goes on: an outcome, a blank, an address. */
export const ADDRESS_CURSOR = "^[a-z0-9:-]+ https?://"

/** Which known pages a run may visit. */
export const visits = oneOf(["all", "due", "failed"] as const satisfies readonly Visiting[])

export const result = orNull(
  oneOf(
    JOB_RESULTS,
    "How it ended, for its operator: null while it is not over, and for one that was cancelled.",
  ),
)
export const reason = orNull(text("One line why `result` is not `finished`."))

const jobFields = {
  id: count(),
  source: text("Name of the source."),
  trigger: oneOf(["command", "run", "schedule", "api", "start"], "Who asked for it."),
  visits,
  state: oneOf(JOB_STATES),
  result,
  reason,
  created_at: time(),
  started_at: orNull(time()),
  ended_at: orNull(time()),
  queued: count("Addresses known and not yet visited."),
  waits: listOf(
    object({
      host: text("With its port, if that is not the usual one."),
      until: time(),
      why: text("Why its last visit brought nothing."),
    }),
    "Hosts whose next try it waits for.",
  ),
  outcomes: byName(count(), "Visits by how they ended: `indexed`, `skipped:robots`, `failed:dns` and so on."),
  changes: object(
    {
      new: count("Pages that came into the index."),
      changed: count("Pages whose text changed."),
      gone: count("Pages that left the index."),
    },
    "What the run changed in the index.",
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
      removed: count("Pages taken out of the index on its evidence."),
      held: count("Pages that waited for an answer when it ended."),
    }),
  ),
  note: orNull(text("What is to be known of its end.")),
  error: orNull(text("Why it failed.")),
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
  counted: count("Visits that ended so, listed or not."),
  limit: count(),
  next: orNull(text("What to send as `after` for those behind; null: there are no more.")),
})
const Outcomes = namedObject("Outcomes", {
  outcomes: listOf(
    object({ outcome: text(), kind: oneOf(OUTCOME_KINDS), meaning: text("For people, in a few words.") }),
  ),
})

const path = { id: count("Number of the job.", { minimum: 1 }) }
export const ofSource = filled("Of this source only; a name that there is not is refused.")
const lines = (description: string) => withDefault(whole(0, MAX_LINES, description), 100)
/** What may be done to a run. */
const action = <const Action extends string>(name: Action, summary: string, example: string) =>
  ({
    at: `POST /admin/jobs/{id}/${name}`,
    summary,
    description: "A job that is running finishes the pages in hand first.",
    path,
    body: noBody,
    answers: accepted(Job, "The job as it stands."),
    refusals: [404, 409, 422],
    examples: [{ summary: example, path: { id: "1" } }],
  }) as const

/** Runs of sources. */
export const jobOperations = operations("Jobs", "admin", {
  listJobs: {
    at: "GET /admin/jobs",
    summary: "Runs, newest first",
    query: { source: ofSource, state: oneOf(JOB_STATES, "In this state only."), ...sliceOf() },
    answers: ok(JobList, "The jobs."),
    examples: [{ summary: "The last five", query: { limit: "5" } }],
  },
  getJob: {
    at: "GET /admin/jobs/{id}",
    summary: "One run: its counts, its log, what failed",
    path,
    query: { log_limit: lines("Lines of its log at most."), failure_limit: lines("Failures at most.") },
    answers: ok(JobDetail, "The job."),
    refusals: [404],
    examples: [
      { summary: "One run", path: { id: "1" } },
      { summary: "No such run", path: { id: "999999" }, status: 404 },
    ],
  },
  listAddressesOfJob: {
    at: "GET /admin/jobs/{id}/addresses",
    summary: "Every address of a run, by how its visit ended",
    description:
      "Addresses that failed are kept of the last 20 runs of a source. Others are listed with the run that visited them last.",
    path,
    query: {
      outcome: oneOf(
        OUTCOME_WORDS,
        "Only those that ended so: `skipped:empty`, `empty`, or `failed` for all of them.",
      ),
      limit: withDefault(whole(1, MAX_LIMIT, "Addresses at most."), DEFAULT_LIMIT),
      after: text("`next` of the answer before.", { pattern: ADDRESS_CURSOR }),
    },
    answers: ok(JobAddresses, "The addresses."),
    refusals: [404],
    examples: [
      { summary: "All of one run", path: { id: "1" } },
      { summary: "Those that failed", path: { id: "1" }, query: { outcome: "failed" } },
    ],
  },
  pauseJob: action("pause", "Interrupt it", "Interrupt"),
  resumeJob: action("resume", "Let it go on", "Go on"),
  cancelJob: action("cancel", "End it for good", "End"),
  skipHost: {
    at: "POST /admin/jobs/{id}/skip-host",
    summary: "Give up a host for this run",
    description:
      "Its addresses end at once, as those of a host that was given up; pages that are known stay, and the next run visits it again.",
    path,
    body: bodyOf({ host: text("Name of the host, with its port if that is not the usual one.") }),
    answers: accepted(Job, "The job as it stands."),
    refusals: [404, 409, 422],
    examples: [
      { summary: "Nothing waits there", path: { id: "1" }, body: { host: "old.example.org" }, status: 409 },
    ],
  },
  followEvents: {
    at: "GET /admin/events",
    summary: "What runs, told as it changes",
    description: `Server-sent events, each all of its topic: \`runs\` (\`{"jobs", "running", "queued", "last"}\`, jobs as in \`/admin/jobs\`), \`vectors\` (\`index\` as in \`/admin/index\`) and \`removals\` (\`held\` as in \`/admin/removals\`). The stream begins with all of them; with the header \`Last-Event-ID\` with those that changed since. It ends after a minute: clients ask again. At most \`FOSSICK_EVENT_STREAMS\` are open at a time.`,
    query: {
      seconds: withDefault(whole(1, STREAM_SECONDS, "After which the stream ends."), STREAM_SECONDS),
    },
    answers: { 200: { description: "The events.", schema: EVENTS, type: EVENT_STREAM } },
    refusals: [429],
    examples: [{ summary: "For a second", query: { seconds: "1" } }],
  },
  outcomes: {
    at: "GET /admin/outcomes",
    tag: "Upkeep",
    summary: "What each way to end a visit means",
    answers: ok(Outcomes, "All of them."),
    examples: [{ summary: "All of them" }],
  },
})
