import { useRef, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { appliance } from "../../session/appliance.ts"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Block, Head, isOpen, Loading, Problem, ResultChip } from "../parts.tsx"
import { askedBy, failedIn, taken } from "../sources/run-table.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { atTime, lasting, onClock } from "../words.ts"
import { Addresses } from "./addresses.tsx"
import { Figures } from "./figures.tsx"
import { Meter } from "./meter.ts"
import { Outcomes } from "./outcome-list.tsx"
import { Waits } from "./waits.tsx"

const LOG_LINES = 100

/** One run: live while it is in progress, with the result for every address. */
export function Run({ job: id, outcome }: { readonly job: number; readonly outcome: string | null }) {
  const meter = useRef(new Meter())
  const polled = usePolled(
    `run ${id}`,
    async (signal) => {
      const query = { log_limit: LOG_LINES, failure_limit: 0 }
      const job = await appliance.call("GET /admin/jobs/{id}", { path: { id }, query, signal })
      const done = Object.values(job.outcomes).reduce((sum, count) => sum + count, 0)
      return { job, done, measured: meter.current.measure(done, performance.now()) }
    },
    ({ job }) => (isOpen(job.state) ? LIVE_MS : null),
  )
  const { value, problem, refresh } = polled
  const actions = useActions(refresh)
  const [isEnding, setEnding] = useState(false)
  if (value === null) {
    return (
      <>
        <Head title={`Run ${id}`} page={`Run ${id}`} />
        {problem === null ? (
          <Loading />
        ) : (
          <Problem title="The run cannot be shown" text={problem} onAgain={refresh} />
        )}
      </>
    )
  }
  const { job, done, measured } = value
  return (
    <>
      <Head
        title={<Link to={{ view: "runs", source: job.source }}>{job.source}</Link>}
        page={`Run for ${job.source}`}
        under={<Times job={job} />}
      >
        {!isOpen(job.state) && <RunFailed job={job} actions={actions} />}
        {isOpen(job.state) && <Control job={job} actions={actions} onCancel={() => setEnding(true)} />}
      </Head>
      <PolledStatus of={polled} actions={actions} />
      {(job.reason ?? job.error ?? job.note) !== null && (
        <p class="said">{[job.reason, job.error, job.note].find((text) => text !== null)}</p>
      )}
      <Figures job={job} done={done} measured={measured} />
      <Waits job={job} actions={actions} />
      <Block id="outcomes" title="How visits ended">
        <Outcomes job={job} wanted={outcome} />
        <Addresses key={outcome} job={job.id} outcome={outcome} done={done} />
      </Block>
      <Block id="log" title="Log">
        <Log lines={job.log} />
      </Block>
      {isEnding && <CancelRun job={job} actions={actions} onClose={() => setEnding(false)} />}
    </>
  )
}

type Job = AnswerOf<"GET /admin/jobs/{id}">

/** The state of the run, what started it, and when. */
function Times({ job }: { readonly job: Job }) {
  const seconds = taken(job)
  return (
    <>
      <ResultChip state={job.state} result={job.result} />
      <span>
        Run {job.id}, {askedBy(job.trigger)}
      </span>
      <span>
        {job.started_at === null ? "not started" : `started ${atTime(job.started_at)}`}
        {seconds !== null &&
          (job.ended_at === null ? `, ${lasting(seconds)} ago` : `, took ${lasting(seconds)}`)}
      </span>
    </>
  )
}

interface Controlled {
  readonly job: Job
  readonly actions: Actions
}

/** Buttons to pause, continue and cancel the run. */
function Control({
  job: { id, state },
  actions: { isBusy, act },
  onCancel,
}: Controlled & { readonly onCancel: () => void }) {
  const path = { id }
  const goOn = () =>
    state === "paused"
      ? act("The run will continue", "POST /admin/jobs/{id}/resume", { path })
      : act("The run has been paused", "POST /admin/jobs/{id}/pause", { path })
  return (
    <>
      <Button icon={state === "paused" ? "play" : "pause"} disabled={isBusy} onClick={() => void goOn()}>
        {state === "paused" ? "Continue" : "Pause"}
      </Button>
      <Button look="danger" icon="stop" disabled={isBusy} onClick={onCancel}>
        Cancel
      </Button>
    </>
  )
}

/** Starts a run over the failed pages only. Omitted if none failed, and for a one-off crawl, which can't be run again. */
function RunFailed({ job, actions: { isBusy, act } }: Controlled) {
  const { source, trigger } = job
  if (failedIn(job) === 0 || trigger === "command") return null
  const body = { visits: "failed" } as const
  const run = () =>
    act(`The failed pages of ${source} will be read again`, "POST /admin/sources/{name}/run", {
      path: { name: source },
      body,
    })
  return (
    <Button icon="play" disabled={isBusy} onClick={() => void run()}>
      Read failed pages again
    </Button>
  )
}

const CancelRun = ({
  job: { id, source },
  actions: { act },
  onClose,
}: Controlled & { readonly onClose: () => void }) => (
  <Confirm
    title={`Cancel this run of ${source}?`}
    yes="Cancel the run"
    no="Keep running"
    onYes={() => void act("The run has been cancelled", "POST /admin/jobs/{id}/cancel", { path: { id } })}
    onClose={onClose}
  >
    <p>
      The run will end for good. The pages that it read will stay in the index; the next run will visit the
      others.
    </p>
  </Confirm>
)

const Log = ({ lines }: { readonly lines: Job["log"] }) =>
  lines.length === 0 ? (
    <p class="small">No events yet.</p>
  ) : (
    <ol class="log" tabIndex={0} aria-labelledby="log">
      {lines.map(({ at, level, text }, index) => (
        <li key={index} class={level}>
          <time dateTime={at}>{onClock(at)}</time> {level !== "info" && <strong>{level}</strong>}
          <span>{text}</span>
        </li>
      ))}
    </ol>
  )
