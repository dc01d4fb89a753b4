import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Field } from "../../design/field.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { Loading, Nothing, Problem } from "../parts.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { atTime, counted } from "../words.ts"

type Entry = AnswerOf<"GET /admin/audit">["entries"][number]

const AT_ONCE = 50

/** The audit log, newest first. */
export function Changes() {
  const [who, setWho] = useState("")
  const [object, setObject] = useState("")
  const [limit, setLimit] = useState(AT_ONCE)
  const query = {
    limit,
    ...(who.trim() !== "" && { who: who.trim() }),
    ...(object.trim() !== "" && { object: object.trim() }),
  }
  const { value, problem, refresh } = useAnswer("GET /admin/audit", { query })
  return (
    <section class="block" aria-label="All changes">
      <p class="small">
        Changes made with admin keys, in this console or from the command line.{" "}
        <a href="admin/audit.jsonl">Download the log</a>
      </p>
      <div class="shown">
        <Field label="Who" name="who" value={who} placeholder="name or id of a key" onWrite={setWho} />
        <Field label="What" name="object" value={object} placeholder="sources/docs" onWrite={setObject} />
        <p class="small" role="status">
          {value === null ? "" : counted(value.total, "change")}
        </p>
      </div>
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value?.total === 0 && <Nothing icon="search" title="No changes found" />}
      {value !== null && value.total > 0 && (
        <>
          <Table caption="Changes" columns={COLUMNS} rows={value.entries} keyOf={({ id }) => String(id)} />
          {value.total > value.entries.length && (
            <p>
              <Button onClick={() => setLimit(Math.min(1000, limit * 2))}>More</Button>
            </p>
          )}
        </>
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Entry>[] = [
  { heading: "When", cell: ({ at }) => <time dateTime={at}>{atTime(at)}</time> },
  {
    heading: "Who",
    cell: ({ who, address }) => (
      <>
        {who.name || who.id}
        <p class="small">{who.kind === "command" ? "from the command line" : `from ${address}`}</p>
      </>
    ),
  },
  {
    heading: "What",
    cell: ({ action, object, status }) => (
      <>
        <code class="strong">{object}</code>
        <p class="small">{action}</p>
        {status !== null && status >= 500 && <p class="reason">Failed with status {status}</p>}
      </>
    ),
  },
  {
    heading: "Changed",
    cell: ({ changes }) =>
      changes.map(({ field, before, after }) => (
        <p key={field} class="small values">
          <code>{field}</code> {before !== null && `${before} → `}
          {after ?? (before === null ? "" : "gone")}
        </p>
      )),
  },
]
