import type { AnswerOf } from "../../../api/client/client.ts"
import { type Column, Table } from "../../design/table.tsx"
import { since } from "../../reading/dates.ts"
import { Loading, Nothing, Problem } from "../parts.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { atTime, counted, whole } from "../words.ts"

type Host = AnswerOf<"GET /admin/outbound">["hosts"][number]

const SHOWN = 200

/** The hosts that the appliance connected to, most recent first. */
export function Connections() {
  const { value, problem, refresh } = useAnswer("GET /admin/outbound", { query: { limit: SHOWN } })
  if (value === null) return problem === null ? <Loading /> : <Problem text={problem} onAgain={refresh} />
  if (value.total === 0) return <Nothing icon="search" title="No connections yet" />
  return (
    <section class="block" aria-label="Hosts">
      <p class="small">
        {counted(value.total, "host")} that the appliance connected to, and why.{" "}
        <a href="docs/privacy">Everything the appliance can connect to</a>
      </p>
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      <Table
        caption="Connections"
        columns={COLUMNS}
        rows={value.hosts}
        keyOf={({ purpose, host }) => `${purpose} ${host}`}
      />
    </section>
  )
}

const COLUMNS: readonly Column<Host>[] = [
  { heading: "Host", cell: ({ host }) => <code class="strong">{host}</code> },
  { heading: "For", cell: ({ purpose }) => purpose },
  { heading: "First", cell: ({ first_at: at }) => <time dateTime={at}>{atTime(at)}</time> },
  { heading: "Last", cell: ({ last_at: at }) => <time dateTime={at}>{since(at)}</time> },
  { heading: "Connections", isNumber: true, cell: ({ count }) => whole(count) },
]
