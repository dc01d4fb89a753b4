import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { since } from "../../reading/dates.ts"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Nothing } from "../parts.tsx"
import { REPORTS, type Report } from "../place.ts"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { hundredths, whole } from "../words.ts"

type Asked = AnswerOf<"GET /admin/queries">["queries"][number]

const NAMES: Readonly<Record<Report, string>> = {
  zero: "Found nothing",
  low: "Doubtful",
  top: "Most asked",
  slow: "Slow",
}

const ABOUT: Readonly<Record<Report, string>> = {
  zero: "Questions that found nothing, or nothing with a score of 0.25 or more. Questions that had results, but outside the key's scope, are left out. Open one to add a synonym, a pin or a source.",
  low: "Questions whose best result is probably wrong: its score was below 0.3.",
  top: "The questions that people ask most.",
  slow: "The questions with the slowest answers.",
}

const NONE: Readonly<Record<Report, string>> = {
  zero: "Every question found a good match",
  low: "No question had a doubtful best result",
  top: "No questions yet",
  slow: "No questions yet",
}

/** People's questions, by report; or how to have questions stored if they aren't. */
export function Queries({ report }: { readonly report: Report }) {
  const rows = useFirstRows()
  const [isForgetting, setForgetting] = useState(false)
  const polled = useAnswer("GET /admin/queries", { query: { report, limit: rows.limit } })
  const { value, refresh } = polled
  const actions = useActions(refresh)
  if (value?.enabled === false) return <Off />
  return (
    <section class="block" aria-label="Questions that were asked">
      <nav class="reports" aria-label="Reports">
        {REPORTS.map((one) => (
          <Link
            key={one}
            to={{ view: "quality", shown: "queries", report: one }}
            class="chip"
            current={one === report}
          >
            {NAMES[one]}
          </Link>
        ))}
      </nav>
      <PolledStatus of={polled} actions={actions} />
      {value !== null && value.queries.length === 0 && (
        <Nothing icon="check" title={NONE[report]}>
          <p>Searches show up here within seconds.</p>
        </Nothing>
      )}
      {value !== null && value.queries.length > 0 && (
        <>
          <p class="small">{ABOUT[report]}</p>
          <Table
            caption={NAMES[report]}
            columns={COLUMNS}
            rows={value.queries}
            keyOf={({ question }) => question}
          />
          <More
            rows={rows}
            shown={value.queries.length}
            total={value.total}
            label="More questions"
            unit={["question"]}
          >
            <Button look="quiet" icon="trash" onClick={() => setForgetting(true)}>
              Forget all…
            </Button>
          </More>
        </>
      )}
      {isForgetting && (
        <Confirm
          title="Forget all questions?"
          yes="Forget them"
          no="Keep them"
          onYes={() => void actions.act("All questions have been forgotten", "DELETE /admin/queries")}
          onClose={() => setForgetting(false)}
        >
          <p>
            The questions will be deleted permanently from all reports. Judged questions and rules will be
            kept.
          </p>
        </Confirm>
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Asked>[] = [
  {
    heading: "Question",
    cell: ({ question }) => <Link to={{ view: "question", question }}>{question}</Link>,
  },
  { heading: "Asked", isNumber: true, cell: ({ count }) => whole(count) },
  { heading: "Keys", isNumber: true, cell: ({ keys }) => whole(keys) },
  { heading: "Results", isNumber: true, cell: ({ results }) => whole(results) },
  {
    heading: "Best score",
    isNumber: true,
    cell: (one) => (one.results === 0 ? "–" : hundredths(one.top_score)),
  },
  { heading: "Slowest", isNumber: true, cell: ({ seconds }) => `${hundredths(seconds)} s` },
  { heading: "Last asked", cell: (one) => <span class="when">{since(one.last_at)}</span> },
]

const Off = () => (
  <Nothing icon="search" title="Questions are not kept">
    <p>
      To learn what people look for and do not find, set <code>FOSSICK_QUERY_LOG_DAYS</code> to a number of
      days, for example <code>FOSSICK_QUERY_LOG_DAYS=30</code> in <code>fossick.env</code>, and restart the
      appliance.
    </p>
    <p>
      For each search, the appliance keeps the time, the question, the id of the key, the number of results,
      the best score and how many seconds it took, but nothing about who asked. After that many days, these
      records are deleted.
    </p>
    <p class="row">
      <a class="button" href="docs/logs#questions-that-were-asked">
        What is kept
      </a>
    </p>
  </Nothing>
)
