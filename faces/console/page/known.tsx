import type { AnswerOf } from "../../../api/client/client.ts"
import { type Column, Table } from "../../design/table.tsx"
import { Link } from "../link.tsx"
import { Block, Time } from "../parts.tsx"
import { Meaning } from "../run/meaning.tsx"
import { shownOutcome } from "../run/outcomes.ts"
import { counted, until } from "../words.ts"

type State = AnswerOf<"GET /admin/page">
type Row = State["known"][number]

const time = (at: string) => <Time class="when" at={at} />

const COLUMNS: readonly Column<Row>[] = [
  {
    heading: "Source",
    cell: ({ source }) => (
      <Link to={{ view: "runs", source }} class="strong">
        {source}
      </Link>
    ),
  },
  {
    heading: "Last visit",
    cell: ({ outcome, detail, job_id: job }) => (
      <>
        {job === null ? (
          shownOutcome(outcome)
        ) : (
          <Link to={{ view: "run", job, outcome }}>{shownOutcome(outcome)}</Link>
        )}
        <p class="reason">{detail ?? <Meaning of={outcome} />}</p>
      </>
    ),
  },
  { heading: "Visited", cell: ({ visited_at: at }) => time(at) },
  { heading: "Changed", cell: ({ changed_at: at }) => (at === null ? "–" : time(at)) },
  { heading: "Due", cell: ({ due_at: at }) => (at === null ? "now" : until(at)) },
  {
    heading: "Found",
    cell: ({ found_how: how, found_on: on, depth, first_seen: first }) => (
      <>
        {time(first)} {how === "seed" ? "as a seed" : `by ${how}`}
        {depth > 0 && `, ${counted(depth, "link")} from a start`}
        {on !== null && (
          <p class="reason">
            <Link to={{ view: "page", url: on, query: null }}>{on}</Link>
          </p>
        )}
      </>
    ),
  },
]

/** What each source knows about the page, and the pages that link to it. */
export function Known({ state: { known, linked_from: links } }: { readonly state: State }) {
  if (known.length === 0) return null
  return (
    <>
      <Block id="known" title="What each source knows">
        <Table caption="Visits, by source" columns={COLUMNS} rows={known} keyOf={({ source }) => source} />
      </Block>
      <Block
        id="linked"
        title={
          links.pages.length === 0
            ? "No pages link to it"
            : `${links.all ? "" : "At least "}${counted(links.pages.length, "page")} ${links.pages.length === 1 ? "links" : "link"} to it`
        }
      >
        {links.pages.length > 0 && (
          <ul class="latest" aria-label="Pages that link to it">
            {links.pages.map(({ url, source }) => (
              <li key={`${source} ${url}`}>
                <Link to={{ view: "page", url, query: null }}>{url}</Link>
              </li>
            ))}
          </ul>
        )}
      </Block>
    </>
  )
}
