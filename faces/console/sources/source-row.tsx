import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Icon } from "../../design/icons.tsx"
import { Progress } from "../../design/progress.tsx"
import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { isOpen, ResultChip, Time } from "../parts.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { DeleteSource } from "./delete-source.tsx"
import { counted, share, until, whole } from "../words.ts"

type Entry = AnswerOf<"GET /admin/sources">["sources"][number]
type Job = AnswerOf<"GET /admin/jobs">["jobs"][number]

/** One source: how it is, in numbers, and what can be done with it. */
export function SourceRow({
  entry,
  running,
  actions: { busy, act },
}: {
  readonly entry: Entry
  /** The run that is under way. */
  readonly running: Job | undefined
  readonly actions: Actions
}) {
  const [isDeleting, setDeleting] = useState(false)
  const { name, origin, paused, last_result: last, last_job: job, pages, pages_with_vectors: vectors } = entry
  const path = { name }
  const { seeds } = entry.source
  const starts = typeof seeds === "string" ? [seeds] : seeds
  const open = job !== null && isOpen(job.state) ? job : null
  const run = () =>
    act(
      `run ${name}`,
      () => appliance.call("POST /admin/sources/{name}/run", { path }),
      `${name} will be run`,
    )
  const hold = () =>
    paused
      ? act(name, () => appliance.call("POST /admin/sources/{name}/resume", { path }), `${name} goes on`)
      : act(name, () => appliance.call("POST /admin/sources/{name}/pause", { path }), `${name} is paused`)
  return (
    <li class="source-row">
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
      <dl class="numbers">
        <Fact name="Pages" value={whole(pages)} />
        <Fact name="New" value={last === null ? "–" : whole(last.new)} />
        <Fact name="Changed" value={last === null ? "–" : whole(last.changed)} />
        <Fact name="Gone" value={last === null ? "–" : whole(last.gone)} />
        <Fact name="Failed" value={visits(last, "failed")} />
        <Fact name="Skipped" value={visits(last, "skipped")} />
        <Fact name="Vectors" value={vectors === null || pages === 0 ? "–" : share(vectors, pages)} />
        <Fact name="Next run" value={nextRun(entry)} />
      </dl>
      <div class="todo">
        {open !== null ? (
          <Link to={{ view: "run", job: open.id, outcome: null }} class="button">
            Watch
          </Link>
        ) : (
          origin !== "one-off" && (
            <Button icon="play" label={`Run ${name}`} disabled={busy !== null} onClick={() => void run()}>
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
            label={paused ? `Let the schedule of ${name} go on` : `Pause the schedule of ${name}`}
            disabled={busy !== null}
            onClick={() => void hold()}
          />
        )}
        {origin !== "file" && (
          <Button
            look="quiet"
            icon="trash"
            label={`Delete ${name}`}
            disabled={busy !== null}
            onClick={() => setDeleting(true)}
          />
        )}
        {isDeleting && (
          <DeleteSource name={name} pages={pages} act={act} onClose={() => setDeleting(false)} />
        )}
      </div>
    </li>
  )
}

/** How many visits of the last run ended so, which leads to their addresses. */
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

function nextRun({ origin, paused, next_run_at: at }: Entry): ComponentChildren {
  if (origin === "one-off") return "never"
  if (paused) return "paused"
  if (at === null) return "by hand"
  return <Time at={at}>{until(at)}</Time>
}

const Fact = ({ name, value }: { readonly name: string; readonly value: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** How far a run is: of the addresses it knows by now, how many it has visited. */
function Running({ job, id }: { readonly job: Job | undefined; readonly id: number }) {
  if (job === undefined) return <Progress label={`Run ${id}`} />
  const done = Object.values(job.outcomes).reduce((sum, count) => sum + count, 0)
  return (
    <div class="under-way">
      <Progress label={`Run ${id}`} value={done} max={Math.max(1, done + job.queued)} />
      <p class="small">
        {counted(done, "address", "addresses")} visited, {whole(job.queued)} to go
        {job.waits.length > 0 && `, ${counted(job.waits.length, "host")} waited for`}
      </p>
    </div>
  )
}
