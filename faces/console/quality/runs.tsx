import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Nothing } from "../parts.tsx"
import { score } from "../rules/rank.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { IDLE_MS, LIVE_MS, useAnswer } from "../asking/use-polled.ts"
import { atTime, counted, whole } from "../words.ts"
import type { JudgedRun } from "./judged.tsx"

const MOST = 500

/** Runs of the judged questions: their times, setups and scores. */
export function JudgedRuns() {
  const [deleted, setDeleted] = useState<JudgedRun | null>(null)
  const polled = useAnswer("GET /admin/judged-runs", { query: { limit: MOST } }, ({ runs }) =>
    runs.some(({ state }) => state === "running") ? LIVE_MS : IDLE_MS,
  )
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <section class="block" aria-label="All runs">
      <PolledStatus of={polled} actions={actions} />
      {value !== null && value.runs.length === 0 && (
        <Nothing icon="clock" title="No runs yet">
          <p>
            Ask all judged questions under{" "}
            <Link to={{ view: "quality", shown: "judged", report: "zero" }}>Judged questions</Link>, or with{" "}
            <code>fossick judge --save</code>. Each run is kept with the date, the index, the model and the
            rules.
          </p>
        </Nothing>
      )}
      {value !== null && value.runs.length > 0 && (
        <Table
          caption="Runs of judged questions"
          columns={columnsOf(actions, setDeleted)}
          rows={value.runs}
          keyOf={({ id }) => String(id)}
        />
      )}
      {deleted !== null && (
        <Confirm
          title={`Delete the run of ${atTime(deleted.started_at)}?`}
          yes="Delete it"
          no="Keep it"
          onYes={() =>
            void actions.act("The run has been deleted", "DELETE /admin/judged-runs/{id}", {
              path: { id: deleted.id },
            })
          }
          onClose={() => setDeleted(null)}
        >
          <p>
            {deleted.state === "running"
              ? "The run is still in progress and will be stopped."
              : "The ranks of its questions will be removed from the history. The questions will be kept."}
          </p>
        </Confirm>
      )}
    </section>
  )
}

const columnsOf = ({ isBusy }: Actions, onDelete: (run: JudgedRun) => void): readonly Column<JudgedRun>[] => [
  {
    heading: "When",
    cell: ({ id, started_at: at, note }) => (
      <>
        <Link to={{ view: "judged-run", run: id, against: null }}>
          <span class="when">{atTime(at)}</span>
        </Link>
        {note !== "" && <p class="small">{note}</p>}
      </>
    ),
  },
  { heading: "How it ended", cell: (run) => <RunChip run={run} /> },
  { heading: "nDCG@10", isNumber: true, cell: ({ ndcg }) => (ndcg === null ? "–" : score(ndcg)) },
  { heading: "hit@1", isNumber: true, cell: ({ hit1 }) => (hit1 === null ? "–" : score(hit1)) },
  { heading: "Questions", isNumber: true, cell: ({ questions }) => whole(questions) },
  { heading: "Depth", cell: ({ depth }) => depth },
  {
    heading: "Index",
    cell: ({ generation, pages }) => `${generation}, ${counted(pages, "page")}`,
  },
  { heading: "Model", cell: ({ embedder }) => <code class="when">{embedder}</code> },
  { heading: "Rules", cell: (run) => <code class="when">{run.rules_digest.slice(0, 8)}</code> },
  {
    heading: <span class="unseen">Delete</span>,
    cell: (run) => (
      <Button
        look="quiet"
        icon="trash"
        label={`Delete the run of ${atTime(run.started_at)}`}
        disabled={isBusy}
        onClick={() => onDelete(run)}
      />
    ),
  },
]

const ENDS = {
  finished: ["check", "good", "Finished"],
  interrupted: [undefined, "warn", "Interrupted"],
  cancelled: ["stop", undefined, "Cancelled"],
  failed: ["close", "bad", "Failed"],
} as const

function RunChip({ run: { state, asked, questions, problem } }: { readonly run: JudgedRun }) {
  const [icon, tone, name] =
    state === "running"
      ? (["play", "accent", `${whole(asked)} of ${whole(questions)}`] as const)
      : ENDS[state]
  return (
    <>
      <Chip icon={icon} tone={tone}>
        {name}
      </Chip>
      {state === "failed" && problem !== null && <p class="reason">{problem}</p>}
    </>
  )
}
