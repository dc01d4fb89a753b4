import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { Link, LinkTabs } from "../link.tsx"
import { Head, Nothing, Time } from "../parts.tsx"
import { REMOVALS_SHOWN, type RemovalsShown } from "../place.ts"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { until, whole } from "../words.ts"
import { Held } from "./held.tsx"
import { reasonOf } from "./reasons.ts"

type Removal = AnswerOf<"GET /admin/removals">["removals"][number]

const NAMES: Readonly<Record<RemovalsShown, string>> = {
  held: "Waiting",
  struck: "Suspected",
  removed: "Removed",
}

/** Pages that are gone, or seem to be, and the operator's decisions on them. */
export function Removals({
  shown,
  source,
}: {
  readonly shown: RemovalsShown
  readonly source: string | null
}) {
  const rows = useFirstRows()
  const polled = useAnswer("GET /admin/removals", {
    query: { state: shown, source: source ?? undefined, limit: rows.limit },
  })
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <>
      <Head
        title="Removals"
        page="Removals"
        under={
          source !== null && (
            <>
              <span>Only {source}.</span>
              <Link to={{ view: "removals", shown, source: null }}>All sources</Link>
            </>
          )
        }
      />
      <LinkTabs
        label="Removals"
        parts={REMOVALS_SHOWN}
        names={NAMES}
        shown={shown}
        to={(one) => ({ view: "removals", shown: one, source })}
      />
      <PolledStatus of={polled} actions={actions} />
      {value !== null && shown === "held" && (
        <Held held={value.held.filter((one) => source === null || one.source === source)} actions={actions} />
      )}
      {value !== null && shown !== "held" && value.removals.length === 0 && <Empty shown={shown} />}
      {value !== null && shown !== "held" && value.removals.length > 0 && (
        <section class="block" aria-label={NAMES[shown]}>
          <p class="small">
            {shown === "struck"
              ? "Recent runs suggest that these pages are gone. They stay in the index until further runs confirm this."
              : "These pages were removed from the index. A copy of each is kept for a while."}
          </p>
          <Table
            caption={NAMES[shown]}
            columns={shown === "struck" ? STRUCK : removedColumns(actions)}
            rows={value.removals}
            keyOf={({ source: of, url }) => `${of} ${url}`}
          />
          <More
            rows={rows}
            shown={value.removals.length}
            total={value.total}
            label="More pages"
            unit={["page"]}
          />
        </section>
      )}
    </>
  )
}

const Empty = ({ shown }: { readonly shown: RemovalsShown }) => (
  <Nothing icon="check" title={shown === "struck" ? "No suspected pages" : "No removed pages"}>
    <p>
      {shown === "struck"
        ? "Pages that seem to be gone appear here."
        : "Pages that leave the index are listed here for as long as they can be restored."}
    </p>
  </Nothing>
)

const PAGE: Column<Removal> = {
  heading: "Page",
  cell: ({ url, source }) => (
    <>
      <PageLink to={url}>{url}</PageLink>
      <p class="small">{source}</p>
    </>
  ),
}
const WHY: Column<Removal> = {
  heading: "Why",
  cell: ({ reason, detail }) => (
    <>
      {reasonOf(reason)}
      {detail !== null && <p class="small">{detail}</p>}
    </>
  ),
}
const FOUND: Column<Removal> = {
  heading: "When",
  cell: ({ at, job_id: job }) => (
    <Link to={{ view: "run", job, outcome: null }} class="when">
      <Time at={at} />
    </Link>
  ),
}

const STRUCK: readonly Column<Removal>[] = [
  PAGE,
  WHY,
  { heading: "Runs that found it gone", isNumber: true, cell: ({ strikes }) => whole(strikes) },
  FOUND,
]

const removedColumns = ({ act, isBusy }: Actions): readonly Column<Removal>[] => [
  PAGE,
  WHY,
  FOUND,
  {
    heading: "Kept",
    cell: ({ kept_until: end }) =>
      end === null ? (
        "–"
      ) : (
        <Time class="when" at={end}>
          will be deleted {until(end)}
        </Time>
      ),
  },
  {
    heading: <span class="unseen">Actions</span>,
    cell: ({ url }) => (
      <Button
        icon="restore"
        label={`Restore ${url}`}
        disabled={isBusy}
        onClick={() =>
          void act("The page will be restored", "POST /admin/removals/restore", { body: { urls: [url] } })
        }
      >
        Restore
      </Button>
    ),
  },
]
