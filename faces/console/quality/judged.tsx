import { useContext, useRef, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chart } from "../../design/chart.tsx"
import { Icon } from "../../design/icons.tsx"
import { Progress } from "../../design/progress.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { addressOf, appliance } from "../../session/appliance.ts"
import { Going, Link } from "../link.tsx"
import { Nothing, Problem, Tile } from "../parts.tsx"
import { rankColumns, score, ScoreChange } from "../rules/rank.tsx"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { IDLE_MS, LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { atTime, counted, whole } from "../words.ts"

type Judged = AnswerOf<"GET /admin/judged-questions">["questions"][number]
export type JudgedRun = AnswerOf<"GET /admin/judged-runs">["runs"][number]

/** Number of runs shown in the chart. */
const CHARTED = 60

/** Questions whose right pages are known, how those pages rank, and how that has changed. */
export function JudgedQuestions() {
  const rows = useFirstRows()
  const polled = usePolled(
    `judged ${rows.limit}`,
    async (signal) => {
      const [questions, runs] = await Promise.all([
        appliance.call("GET /admin/judged-questions", { query: { limit: rows.limit }, signal }),
        appliance.call("GET /admin/judged-runs", { query: { limit: CHARTED }, signal }),
      ])
      return { ...questions, runs: runs.runs }
    },
    ({ runs }) => (runs.some(({ state }) => state === "running") ? LIVE_MS : IDLE_MS),
  )
  const { value, refresh } = polled
  const actions = useActions(refresh)
  const running = value?.runs.find(({ state }) => state === "running")
  return (
    <div class="judged">
      <PolledStatus of={polled} actions={actions} />
      {value !== null && value.total === 0 && <NoneJudged onImported={refresh} />}
      {value !== null && <AskForm />}
      {value !== null && value.total > 0 && (
        <>
          <Sums runs={value.runs} total={value.total} />
          {running !== undefined && (
            <section class="block" aria-label="Run under way">
              <p class="small" role="status">
                Asking: {whole(running.asked)} of {counted(running.questions, "question")}
              </p>
              <Progress label="Questions asked" value={running.asked} max={running.questions} />
            </section>
          )}
          <section class="block" aria-label="The questions">
            <div class="between">
              <h2>{counted(value.total, "question")}, worst first</h2>
              <ForAll actions={actions} isRunning={running !== undefined} onImported={refresh} />
            </div>
            <Table
              caption="Judged questions"
              columns={COLUMNS}
              rows={value.questions}
              keyOf={({ id }) => id}
            />
            <More
              rows={rows}
              shown={value.questions.length}
              total={value.total}
              label="More questions"
              unit={["question"]}
            />
          </section>
        </>
      )}
    </div>
  )
}

const NoneJudged = ({ onImported }: { readonly onImported: () => void }) => (
  <Nothing icon="check" title="No judged questions yet">
    <p>
      A judged question is one for which you know the right pages. Judge a few dozen to measure whether a
      synonym, a new model or a new source makes search better or worse.
    </p>
    <p>
      Open a question that <Link to={{ view: "quality", shown: "queries", report: "top" }}>people asked</Link>{" "}
      and mark the pages that answer it, or import a file.
    </p>
    <p class="row">
      <ImportButton onDone={onImported} look="primary" />
      <a class="button" href="docs/ranking#judge-the-ranking">
        How to judge
      </a>
    </p>
  </Nothing>
)

/** Actions on all judged questions. */
const ForAll = ({
  actions: { isBusy, act },
  isRunning,
  onImported,
}: {
  readonly actions: Actions
  readonly isRunning: boolean
  readonly onImported: () => void
}) => (
  <div class="row">
    <Button
      look="primary"
      icon="play"
      disabled={isBusy || isRunning}
      onClick={() => void act("Asking all questions now", "POST /admin/judged-runs")}
    >
      Ask all now
    </Button>
    <ImportButton onDone={onImported} />
    <a class="button" href={addressOf("admin/judged-questions.yaml")} download="judged.yaml">
      <Icon name="down" />
      Export
    </a>
  </div>
)

const COLUMNS: readonly Column<Judged>[] = [
  {
    heading: "Question",
    cell: ({ question }) => <Link to={{ view: "question", question }}>{question}</Link>,
  },
  { heading: "Pages", isNumber: true, cell: ({ pages }) => whole(pages.length) },
  ...rankColumns(({ latest, before }: Judged) => latest && { before: before ?? latest, after: latest }),
]

/** The latest run next to the one before it, and all runs as a line. */
function Sums({ runs, total }: { readonly runs: readonly JudgedRun[]; readonly total: number }) {
  const finished = runs.filter(({ state }) => state === "finished")
  const [latest, before = latest] = finished
  if (latest === undefined || before === undefined) {
    return (
      <p class="small">
        No run has asked {total === 1 ? "this question" : "these questions"} yet. Ask all now to see how their
        pages rank.
      </p>
    )
  }
  const tiles = [
    ["nDCG@10", latest.ndcg, before.ndcg],
    ["hit@1", latest.hit1, before.hit1],
    ["hit@3", latest.hit3, before.hit3],
  ] as const
  return (
    <div class="quality-sums">
      <dl class="tiles" aria-label="The latest run">
        {tiles.map(([name, now, then]) => (
          <Tile key={name} name={name} value={score(now ?? 0)}>
            {latest === before ? (
              <span>the first run</span>
            ) : score(now ?? 0) === score(then ?? 0) ? (
              <span>as before</span>
            ) : (
              <ScoreChange before={then ?? 0} after={now ?? 0} />
            )}
          </Tile>
        ))}
      </dl>
      {finished.length > 1 && (
        <Chart
          label="nDCG@10 of the judged questions by run"
          of="nDCG@10"
          most={1}
          points={finished.toReversed().map((run) => ({ label: atTime(run.started_at), value: run.ndcg }))}
          inWords={score}
        />
      )}
    </div>
  )
}

/** A question to be judged, from any source. */
function AskForm() {
  const [question, setQuestion] = useState("")
  const go = useContext(Going)
  return (
    <form
      class="ask"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        if (question.trim() !== "") go({ view: "question", question: question.trim() })
      }}
    >
      <label for="ask-question">Open a question</label>
      <input
        id="ask-question"
        class="input"
        name="question"
        maxLength={400}
        required
        value={question}
        onInput={(event) => setQuestion(event.currentTarget.value)}
      />
      <Button type="submit" icon="search">
        Open
      </Button>
    </form>
  )
}

/** Imports a file of judged questions. */
function ImportButton({
  onDone,
  look = "plain",
}: {
  readonly onDone: () => void
  readonly look?: "plain" | "primary"
}) {
  const input = useRef<HTMLInputElement>(null)
  const actions = useActions(onDone)
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const text = await file.text()
    await actions.act(
      `The questions from ${file.name} have been imported`,
      "POST /admin/judged-questions/import",
      { body: { text } },
    )
  }
  return (
    <>
      <Button look={look} icon="up" disabled={actions.isBusy} onClick={() => input.current?.click()}>
        Import a file
      </Button>
      <input
        ref={input}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label="File of judged questions, YAML or JSON"
        accept=".yaml,.yml,.json"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0])
          event.currentTarget.value = ""
        }}
      />
      {actions.problem !== null && <Problem title="Nothing was imported" text={actions.problem} />}
    </>
  )
}
