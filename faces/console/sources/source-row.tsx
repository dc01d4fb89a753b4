import type { ComponentChildren } from "preact"
import { useContext, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Icon } from "../../design/icons.tsx"
import { Progress } from "../../design/progress.tsx"
import { Link, Operator } from "../link.tsx"
import { Fact, isOpen, ResultChip, Time } from "../parts.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { DeleteSource } from "./delete-source.tsx"
import { counted, share, until, whole } from "../words.ts"

type Entry = AnswerOf<"GET /admin/sources">["sources"][number]
type Job = AnswerOf<"GET /admin/jobs">["jobs"][number]

interface RowProps {
  readonly entry: Entry
  /** The run that is under way. */
  readonly running: Job | undefined
  readonly actions: Actions
}

/** The current run of a source. */
const openRun = ({ last_job: job }: Entry) => (job !== null && isOpen(job.state) ? job : null)

/** One source: its state, in numbers, and the actions on it. */
export function SourceRow({ entry, running, actions }: RowProps) {
  const { last_result: last, pages, pages_with_vectors: vectors } = entry
  return (
    <li class="source-row">
      <What entry={entry} running={running} />
      <dl class="numbers">
        <Fact name="Pages">{whole(pages)}</Fact>
        <Fact name="New">{last === null ? "–" : whole(last.new)}</Fact>
        <Fact name="Changed">{last === null ? "–" : whole(last.changed)}</Fact>
        <Fact name="Removed">{last === null ? "–" : whole(last.gone)}</Fact>
        <Fact name="Failed">{visits(last, "failed")}</Fact>
        <Fact name="Skipped">{visits(last, "skipped")}</Fact>
        <Fact name="Vectors">{vectors === null || pages === 0 ? "–" : share(vectors, pages)}</Fact>
        <Fact name="Next run">{nextRun(entry)}</Fact>
      </dl>
      <Todo entry={entry} actions={actions} />
    </li>
  )
}

/** The origin of a source's content. */
function startsOf({
  folder,
  mailbox,
  archive,
  repository,
  documents,
  seeds,
}: Entry["source"]): readonly string[] {
  const place =
    folder ??
    archive ??
    (typeof repository === "object" ? repository?.url : repository) ??
    (typeof mailbox === "object" ? mailbox && `${mailbox.server}, ${mailbox.user}` : mailbox) ??
    (documents ? "Documents sent through the API" : null)
  return place === null ? [seeds].flat() : [place]
}

/** The name of the source, its state, and how its last run ended. */
function What({ entry, running }: Omit<RowProps, "actions">) {
  const { name, origin, paused, last_result: last } = entry
  const starts = startsOf(entry.source)
  const open = openRun(entry)
  return (
    <div class="what">
      <h2>
        <Link to={{ view: "runs", source: name }}>{name}</Link>
      </h2>
      <p class="small">
        {starts[0]}
        {starts.length > 1 && ` and ${starts.length - 1} more`}
      </p>
      <p class="state">
        {open !== null && <ResultChip state={open.state} result={null} />}
        {open === null && last !== null && <ResultChip state="finished" result={last.result} />}
        {open === null && last === null && <Chip icon="clock">Never run</Chip>}
        {paused && <Chip icon="pause">Paused</Chip>}
        {origin === "one-off" && <Chip>One-off</Chip>}
        {open === null && last?.ended_at != null && <Time class="small" at={last.ended_at} />}
      </p>
      {open === null && last?.reason != null && <p class="reason">{last.reason}</p>}
      {open?.state === "running" && <Running job={running} id={open.id} />}
    </div>
  )
}

function Todo({ entry, actions: { isBusy, act } }: Omit<RowProps, "running">) {
  const [isDeleting, setDeleting] = useState(false)
  const isOperator = useContext(Operator)
  const { name, origin, paused, pages } = entry
  const path = { name }
  const open = openRun(entry)
  const run = () => void act(`${name} will run soon`, "POST /admin/sources/{name}/run", { path })
  const hold = () =>
    void (paused
      ? act(`${name} will run on schedule again`, "POST /admin/sources/{name}/resume", { path })
      : act(`${name} has been paused`, "POST /admin/sources/{name}/pause", { path }))
  return (
    <div class="todo">
      {open !== null ? (
        <Link to={{ view: "run", job: open.id, outcome: null }} class="button">
          Watch
        </Link>
      ) : (
        origin !== "one-off" && (
          <Button icon="play" label={`Run ${name}`} disabled={isBusy} onClick={run}>
            Run
          </Button>
        )
      )}
      {origin === "one-off" ? (
        <Link to={{ view: "source", source: name }} class="button" label={`Keep ${name} as a source`}>
          Keep
        </Link>
      ) : (
        <Link to={{ view: "source", source: name }} class="button quiet bare" label={`Settings of ${name}`}>
          <Icon name="edit" />
        </Link>
      )}
      {origin !== "one-off" && (
        <Button
          look="quiet"
          icon={paused ? "play" : "pause"}
          label={paused ? `Resume the schedule of ${name}` : `Pause the schedule of ${name}`}
          disabled={isBusy}
          onClick={hold}
        />
      )}
      {origin !== "file" && !isOperator && (
        <Button
          look="quiet"
          icon="trash"
          label={`Delete ${name}`}
          disabled={isBusy}
          onClick={() => setDeleting(true)}
        />
      )}
      {isDeleting && <DeleteSource name={name} pages={pages} act={act} onClose={() => setDeleting(false)} />}
    </div>
  )
}

/** Number of visits in the last run that ended this way, linked to their addresses. */
function visits(last: Entry["last_result"], outcome: "failed" | "skipped"): ComponentChildren {
  if (last === null) return "–"
  const count = last[outcome]
  if (count === 0) return "0"
  return (
    <Link to={{ view: "run", job: last.job_id, outcome }} class={outcome === "failed" ? "bad" : ""}>
      {whole(count)}
    </Link>
  )
}

function nextRun({ origin, paused, next_run_at: at, watched }: Entry): ComponentChildren {
  if (origin === "one-off") return "never"
  if (paused) return "paused"
  if (at === null) return watched ? "on change" : "manual"
  return <Time at={at}>{until(at)}</Time>
}

/** Progress of a run: how many of the addresses known so far it has visited. */
function Running({ job, id }: { readonly job: Job | undefined; readonly id: number }) {
  if (job === undefined) return <Progress label={`Run ${id}`} />
  const done = Object.values(job.outcomes).reduce((sum, count) => sum + count, 0)
  return (
    <div class="under-way">
      <Progress label={`Run ${id}`} value={done} max={Math.max(1, done + job.queued)} />
      <p class="small">
        {counted(done, "address", "addresses")} visited, {whole(job.queued)} to go
        {job.waits.length > 0 && `, waiting for ${counted(job.waits.length, "host")}`}
      </p>
    </div>
  )
}
