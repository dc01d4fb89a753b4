import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { type Column, Table } from "../../design/table.tsx"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { Link } from "../link.tsx"
import { Nothing } from "../parts.tsx"
import { whole } from "../words.ts"
import { Filter } from "./filter.tsx"
import { Reach } from "./sees.tsx"

type Seen = AnswerOf<"GET /admin/readers/matrix">
type Row = Seen["rows"][number]

/** Number of rows that aren't groups: everyone, and everyone who has signed in. */
const OTHERS = 2

/** How much of each source the people in each group may read. */
export function Matrix() {
  const [search, setSearch] = useState("")
  const rows = useFirstRows()
  const wanted = search.trim()
  const query = { limit: rows.limit, ...(wanted !== "" && { source: wanted }) }
  // The answer is expensive, because everyone who has signed in is checked, so it isn't polled.
  const polled = useAnswer("GET /admin/readers/matrix", { query }, () => null)
  const { value } = polled
  return (
    <section class="block" aria-label="Who may read which source">
      <p class="small">
        What people may read if they belong to one group only. Rules for individual users are not included:
        open a person to see those.
      </p>
      <Filter label="Source name" name="source" value={search} onWrite={setSearch} />
      <PolledStatus of={polled} />
      {value?.sources_total === 0 && <Nothing icon="globe" title="No matching sources" />}
      {value !== null && value.sources_total > 0 && (
        <>
          {value.sources_total > value.sources.length && (
            <p class="small">
              {whole(value.sources.length)} of {whole(value.sources_total)} sources. Enter part of a name to
              see others.
            </p>
          )}
          <div class="matrix">
            <Table
              caption="Groups and sources"
              columns={columnsOf(value.sources)}
              rows={value.rows}
              keyOf={({ principal }) => principal ?? ""}
            />
          </div>
          <More
            rows={rows}
            shown={value.rows.length - OTHERS}
            total={value.total}
            label="More groups"
            unit={["group"]}
          />
        </>
      )}
    </section>
  )
}

const columnsOf = (sources: Seen["sources"]): readonly Column<Row>[] => [
  { heading: "Who", cell: ({ principal }) => <Who principal={principal} /> },
  {
    heading: "People",
    isNumber: true,
    cell: ({ people }) => (people === null ? "–" : whole(people)),
  },
  ...sources.map(({ source, pages }, index): Column<Row> => ({
    heading: (
      <>
        <Link to={{ view: "source", source }}>{source}</Link>
        <span class="small"> {whole(pages)}</span>
      </>
    ),
    cell: ({ cells }) => <Reach of={{ ...cells[index]!, pages }} />,
  })),
]

const Who = ({ principal }: { readonly principal: string | null }) => {
  if (principal === null) return <>Everybody</>
  if (principal === "signed-in") return <>Everybody who has signed in</>
  const name = principal.replace(/^group:/, "")
  return (
    <Link to={{ view: "person", person: null, as: `${principal},signed-in` }} class="strong">
      {name}
    </Link>
  )
}
