import { useContext, useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Select } from "../../design/field.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { appliance } from "../../session/appliance.ts"
import { Confirm } from "../confirm.tsx"
import { Going, Link } from "../link.tsx"
import { Head, Loading, Nothing, Problem } from "../parts.tsx"
import { RankChange, score, ScoreChange } from "../rules/rank.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { IDLE_MS, LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { atTime, counted, whole } from "../words.ts"
import type { JudgedRun } from "./judged.tsx"

const MOST = 500

/** Runs of the judged questions: when, by what they were answered, and how they did. */
export function JudgedRuns() {
  const [deleted, setDeleted] = useState<JudgedRun | null>(null)
  const polled = usePolled(
    "judged runs",
    (signal) => appliance.call("GET /admin/judged-runs", { query: { limit: MOST }, signal }),
    ({ runs }) => (runs.some(({ state }) => state === "running") ? LIVE_MS : IDLE_MS),
  )
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <section class="block" aria-label="All runs">
      <PolledStatus of={polled} actions={actions} />
      {value !== null && value.runs.length === 0 && (
        <Nothing icon="clock" title="Judged questions were not asked yet">
          <p>
            Ask all of them under{" "}
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
            void actions.act(
              "delete",
              () => appliance.call("DELETE /admin/judged-runs/{id}", { path: { id: deleted.id } }),
              "The run is deleted",
            )
          }
          onClose={() => setDeleted(null)}
        >
          <p>
            {deleted.state === "running"
              ? "It is under way and ends now."
              : "The ranks of its questions leave the history. The questions stay."}
          </p>
        </Confirm>
      )}
    </section>
  )
}

const columnsOf = ({ busy }: Actions, onDelete: (run: JudgedRun) => void): readonly Column<JudgedRun>[] => [
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
        disabled={busy !== null}
        onClick={() => onDelete(run)}
      />
    ),
  },
]

function RunChip({ run: { state, asked, questions, problem } }: { readonly run: JudgedRun }) {
  if (state === "finished")
    return (
      <Chip tone="good" icon="check">
        Finished
      </Chip>
    )
  if (state === "running")
    return (
      <Chip tone="accent" icon="play">
        {whole(asked)} of {whole(questions)}
      </Chip>
    )
  if (state === "interrupted") return <Chip tone="warn">Broken off</Chip>
  if (state === "cancelled") return <Chip icon="stop">Cancelled</Chip>
  return (
    <>
      <Chip tone="bad" icon="close">
        Failed
      </Chip>
      {problem !== null && <p class="reason">{problem}</p>}
    </>
  )
}

/** One run, question by question, beside another one. */
export function JudgedRunView({
  run: id,
  against,
}: {
  readonly run: number
  readonly against: number | null
}) {
  const go = useContext(Going)
  const { value, problem, refresh } = usePolled(
    `judged run ${id} ${against ?? ""}`,
    async (signal) => {
      const query = { against: against ?? undefined, limit: 1000 }
      const [compared, all] = await Promise.all([
        appliance.call("GET /admin/judged-runs/{id}", { path: { id }, query, signal }),
        appliance.call("GET /admin/judged-runs", { query: { limit: MOST }, signal }),
      ])
      return { ...compared, others: all.runs.filter((one) => one.id !== id && one.state === "finished") }
    },
    ({ run }) => (run.state === "running" ? LIVE_MS : null),
  )
  const title =
    value === null ? (
      "Run of judged questions"
    ) : (
      <>
        Judged on <span class="when">{atTime(value.run.started_at)}</span>
      </>
    )
  return (
    <>
      <Head title={title} page="Run of judged questions" under={value?.run.note} />
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && (
        <>
          {value.others.length > 0 && (
            <div class="against">
              <Select
                name="against"
                label="Beside the run of"
                value={String(value.against?.id ?? "")}
                options={[
                  ...(value.against === null ? [{ value: "", label: "choose a run" }] : []),
                  ...value.others.map((one) => ({
                    value: String(one.id),
                    label: `${atTime(one.started_at)}${one.note === "" ? "" : ` (${one.note})`}`,
                  })),
                ]}
                onChoose={(chosen) =>
                  go({ view: "judged-run", run: id, against: chosen === "" ? null : Number(chosen) })
                }
              />
            </div>
          )}
          <Facts run={value.run} against={value.against} />
          {value.questions.length === 0 ? (
            <Nothing icon="clock" title="It has no ranks">
              <p>The run did not come to its end, or its questions were deleted since.</p>
            </Nothing>
          ) : (
            <Table
              caption="Questions of the run"
              columns={[
                {
                  heading: "Question",
                  cell: ({ question }) => <Link to={{ view: "question", question }}>{question}</Link>,
                },
                {
                  heading: "Rank",
                  cell: ({ rank, before }) => (
                    <RankChange before={before === null ? rank : before.rank} after={rank} />
                  ),
                },
                {
                  heading: "nDCG@10",
                  isNumber: true,
                  cell: ({ ndcg, before }) => <ScoreChange before={before?.ndcg ?? ndcg} after={ndcg} />,
                },
              ]}
              rows={value.questions}
              keyOf={(one) => one.id}
            />
          )}
        </>
      )}
    </>
  )
}

/** The sums, and what was different. */
function Facts({ run, against }: { readonly run: JudgedRun; readonly against: JudgedRun | null }) {
  const differs = [
    ["Model", against?.embedder, run.embedder],
    ["Rules", against?.rules_digest.slice(0, 8), run.rules_digest.slice(0, 8)],
    ["Index", against?.generation, run.generation],
    ["Pages", against && whole(against.pages), whole(run.pages)],
    ["Depth", against?.depth, run.depth],
  ] as const
  const sums = [
    ["nDCG@10", against?.ndcg, run.ndcg],
    ["hit@1", against?.hit1, run.hit1],
    ["hit@3", against?.hit3, run.hit3],
  ] as const
  return (
    <dl class="sums">
      {run.ndcg !== null &&
        sums.map(([name, then, now]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ScoreChange before={then ?? now ?? 0} after={now ?? 0} />
            </dd>
          </div>
        ))}
      {differs.map(([name, then, now]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {then == null || then === now ? (
              now
            ) : (
              <span>
                {then} <span aria-hidden="true">→</span>
                <span class="unseen">became</span> {now}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
