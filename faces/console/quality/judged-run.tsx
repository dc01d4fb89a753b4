import { useContext } from "preact/hooks"

import { Select } from "../../design/field.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { appliance } from "../../session/appliance.ts"
import { LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { Going, Link } from "../link.tsx"
import { Fact, Head, Loading, Nothing, Problem } from "../parts.tsx"
import { rankColumns, ScoreChange } from "../rules/rank.tsx"
import { atTime, whole } from "../words.ts"
import type { JudgedRun } from "./judged.tsx"

/** Maximum number of runs offered for comparison. */
const MOST = 500

async function look(id: number, against: number | null, signal: AbortSignal) {
  const query = { against: against ?? undefined, limit: 1000 }
  const [compared, all] = await Promise.all([
    appliance.call("GET /admin/judged-runs/{id}", { path: { id }, query, signal }),
    appliance.call("GET /admin/judged-runs", { query: { limit: MOST }, signal }),
  ])
  return { ...compared, others: all.runs.filter((one) => one.id !== id && one.state === "finished") }
}

type Compared = Awaited<ReturnType<typeof look>>

/** One run, question by question, compared with another one. */
export function JudgedRunView({
  run: id,
  against,
}: {
  readonly run: number
  readonly against: number | null
}) {
  const { value, problem, refresh } = usePolled(
    `judged run ${id} ${against ?? ""}`,
    (signal) => look(id, against, signal),
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
          {value.others.length > 0 && <Beside compared={value} />}
          <Facts run={value.run} against={value.against} />
          {value.questions.length === 0 ? (
            <Nothing icon="clock" title="This run has no ranks">
              <p>The run did not finish, or its questions have been deleted since.</p>
            </Nothing>
          ) : (
            <Table
              caption="Questions in this run"
              columns={COLUMNS}
              rows={value.questions}
              keyOf={(one) => one.id}
            />
          )}
        </>
      )}
    </>
  )
}

type Question = Compared["questions"][number]

const COLUMNS: readonly Column<Question>[] = [
  {
    heading: "Question",
    cell: ({ question }) => <Link to={{ view: "question", question }}>{question}</Link>,
  },
  ...rankColumns((one: Question) => ({ before: one.before ?? one, after: one })),
]

/** Chooses the run to compare with. */
function Beside({ compared: { run, against, others } }: { readonly compared: Compared }) {
  const go = useContext(Going)
  return (
    <div class="against">
      <Select
        name="against"
        label="Compare with the run of"
        value={String(against?.id ?? "")}
        options={[
          ...(against === null ? [{ value: "", label: "choose a run" }] : []),
          ...others.map(({ id, started_at: at, note }) => ({
            value: String(id),
            label: `${atTime(at)}${note === "" ? "" : ` (${note})`}`,
          })),
        ]}
        onChoose={(chosen) =>
          go({ view: "judged-run", run: run.id, against: chosen === "" ? null : Number(chosen) })
        }
      />
    </div>
  )
}

/** The scores, and the conditions that changed between the two runs. */
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
          <Fact key={name} name={name}>
            <ScoreChange before={then ?? now ?? 0} after={now ?? 0} />
          </Fact>
        ))}
      {differs.map(([name, then, now]) => (
        <Fact key={name} name={name}>
          {then == null || then === now ? (
            now
          ) : (
            <span>
              {then} <span aria-hidden="true">→</span>
              <span class="unseen">became</span> {now}
            </span>
          )}
        </Fact>
      ))}
    </dl>
  )
}
