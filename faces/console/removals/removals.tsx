import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { since } from "../../reading/dates.ts"
import { PageLink } from "../../reading/page-link.tsx"
import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Head, Loading, Nothing, Problem } from "../parts.tsx"
import { type Place, REMOVALS_SHOWN, type RemovalsShown } from "../place.ts"
import { type Actions, useActions } from "../use-actions.ts"
import { IDLE_MS, usePolled } from "../use-polled.ts"
import { atTime, counted, until, whole } from "../words.ts"
import { Held } from "./held.tsx"
import { reasonOf } from "./reasons.ts"

type Removal = AnswerOf<"GET /admin/removals">["removals"][number]

const NAMES: Readonly<Record<RemovalsShown, string>> = {
  held: "Waiting",
  struck: "Suspected",
  removed: "Removed",
}

const AT_ONCE = 50
const MOST = 1000

/** Pages that are gone, or seem to be, and the operator's word on it. */
export function Removals({
  shown,
  source,
}: {
  readonly shown: RemovalsShown
  readonly source: string | null
}) {
  const [limit, setLimit] = useState(AT_ONCE)
  const { value, problem, refresh } = usePolled(
    `removals ${shown} ${source ?? ""} ${limit}`,
    (signal) =>
      appliance.call("GET /admin/removals", {
        query: { state: shown, source: source ?? undefined, limit },
        signal,
      }),
    () => IDLE_MS,
  )
  const actions = useActions(refresh)
  const place = (one: RemovalsShown): Place => ({ view: "removals", shown: one, source })
  return (
    <>
      <Head
        title="Removals"
        page="Removals"
        under={
          source !== null && (
            <>
              <span>Of {source} alone.</span>
              <Link to={{ view: "removals", shown, source: null }}>Of all sources</Link>
            </>
          )
        }
      />
      <nav class="tabs" aria-label="Removals">
        {REMOVALS_SHOWN.map((one) => (
          <Link key={one} to={place(one)} class="tab" current={one === shown}>
            {NAMES[one]}
          </Link>
        ))}
      </nav>
      {actions.problem !== null && <Problem text={actions.problem} />}
      {problem !== null && <Problem title="This may be out of date" text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && shown === "held" && (
        <Held held={value.held.filter((one) => source === null || one.source === source)} actions={actions} />
      )}
      {value !== null && shown !== "held" && value.removals.length === 0 && <Empty shown={shown} />}
      {value !== null && shown !== "held" && value.removals.length > 0 && (
        <section class="block" aria-label={NAMES[shown]}>
          <p class="small">
            {shown === "struck"
              ? "Runs found that these pages may be gone. They stay in the index until more runs say so."
              : "These pages left the index. A copy of each is kept for a while."}
          </p>
          <Table
            caption={NAMES[shown]}
            columns={shown === "struck" ? STRUCK : removedColumns(actions)}
            rows={value.removals}
            keyOf={({ source: of, url }) => `${of} ${url}`}
          />
          <p class="more">
            {value.total > value.removals.length && limit < MOST && (
              <Button icon="down" onClick={() => setLimit(Math.min(MOST, limit * 2))}>
                More pages
              </Button>
            )}
            <span class="small">
              {whole(value.removals.length)} of {counted(value.total, "page")}
            </span>
          </p>
        </section>
      )}
    </>
  )
}

const Empty = ({ shown }: { readonly shown: RemovalsShown }) => (
  <Nothing icon="check" title={shown === "struck" ? "No page seems to be gone" : "No page was removed"}>
    <p>
      {shown === "struck"
        ? "When a run finds that a page may be gone, it stands here."
        : "Pages that leave the index stand here for as long as they can be restored."}
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
      <time dateTime={at} title={atTime(at)}>
        {since(at)}
      </time>
    </Link>
  ),
}

const STRUCK: readonly Column<Removal>[] = [
  PAGE,
  WHY,
  { heading: "Runs that say so", isNumber: true, cell: ({ strikes }) => whole(strikes) },
  FOUND,
]

const removedColumns = ({ act, busy }: Actions): readonly Column<Removal>[] => [
  PAGE,
  WHY,
  FOUND,
  {
    heading: "Kept",
    cell: ({ kept_until: end }) =>
      end === null ? (
        "–"
      ) : (
        <time class="when" dateTime={end} title={atTime(end)}>
          goes {until(end)}
        </time>
      ),
  },
  {
    heading: <span class="unseen">What to do</span>,
    cell: ({ url }) => (
      <Button
        icon="restore"
        label={`Restore ${url}`}
        disabled={busy !== null}
        onClick={() =>
          void act(
            `restore ${url}`,
            () => appliance.call("POST /admin/removals/restore", { body: { urls: [url] } }),
            "The page will be put back",
          )
        }
      >
        Restore
      </Button>
    ),
  },
]
