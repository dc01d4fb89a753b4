import type { AnswerOf } from "../../../api/client/client.ts"
import { type Column, Table } from "../../design/table.tsx"
import { Link } from "../link.tsx"
import { ResultChip, Time } from "../parts.tsx"
import { lasting, whole } from "../words.ts"

type Job = AnswerOf<"GET /admin/jobs">["jobs"][number]

const TRIGGERS: Readonly<Record<Job["trigger"], string>> = {
  command: "from the command line",
  run: "from the command line",
  schedule: "on schedule",
  api: "from the console or API",
  start: "when the appliance started",
}

/** What started a run, in words. */
export const askedBy = (trigger: Job["trigger"]): string => TRIGGERS[trigger]

/** Number of visits that failed. */
export const failedIn = ({ outcomes }: Pick<Job, "outcomes">): number =>
  Object.entries(outcomes).reduce((sum, [name, count]) => sum + (name.startsWith("failed:") ? count : 0), 0)

/** Seconds that a run has taken so far; null before it began. */
export const taken = ({ started_at: from, ended_at: to }: Job): number | null =>
  from === null
    ? null
    : ((to === null ? Date.now() : new Date(to).getTime()) - new Date(from).getTime()) / 1000

const COLUMNS: readonly Column<Job>[] = [
  {
    heading: "Source",
    cell: (job) => (
      <Link to={{ view: "run", job: job.id, outcome: null }} class="strong">
        {job.source}
      </Link>
    ),
  },
  {
    heading: "Result",
    cell: (job) => (
      <>
        <ResultChip state={job.state} result={job.result} />
        {job.reason !== null && <p class="reason">{job.reason}</p>}
      </>
    ),
  },
  {
    heading: "Started",
    cell: ({ started_at: at, created_at: asked }) => <Time class="when" at={at ?? asked} />,
  },
  {
    heading: "Took",
    isNumber: true,
    cell: (job) => {
      const seconds = taken(job)
      return seconds === null ? "–" : <span class="when">{lasting(seconds)}</span>
    },
  },
  { heading: "New", isNumber: true, cell: ({ changes }) => whole(changes.new) },
  { heading: "Changed", isNumber: true, cell: ({ changes }) => whole(changes.changed) },
  { heading: "Removed", isNumber: true, cell: ({ changes }) => whole(changes.gone) },
  { heading: "Failed", isNumber: true, cell: (job) => whole(failedIn(job)) },
]

/** A table of runs, one per row. */
export const RunTable = ({ caption, jobs }: { readonly caption: string; readonly jobs: readonly Job[] }) => (
  <Table caption={caption} columns={COLUMNS} rows={jobs} keyOf={({ id }) => String(id)} />
)
