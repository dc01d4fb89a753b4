import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { since } from "../../reading/dates.ts"
import { PageLink } from "../../reading/page-link.tsx"
import { appliance } from "../../session/appliance.ts"
import { Confirm } from "../confirm.tsx"
import { Link } from "../link.tsx"
import { Loading, Nothing, Problem } from "../parts.tsx"
import type { Actions } from "../asking/use-actions.ts"
import { usePolled } from "../asking/use-polled.ts"
import { counted, share, whole } from "../words.ts"
import { reasonOf } from "./reasons.ts"

type HeldSource = AnswerOf<"GET /admin/removals">["held"][number]

/** Decisions waiting for approval, one for each source. */
export function Held({ held, actions }: { readonly held: readonly HeldSource[]; readonly actions: Actions }) {
  if (held.length === 0) {
    return (
      <Nothing icon="check" title="Nothing is waiting for you">
        <p>Before a run removes many pages of a source at once, it asks for your approval here.</p>
      </Nothing>
    )
  }
  return (
    <ul class="held" aria-label="Waiting for you">
      {held.map((one) => (
        <HeldCard key={one.source} held={one} actions={actions} />
      ))}
    </ul>
  )
}

function HeldCard({
  held: { source, pages, of_pages: of, reasons, job_id: job, at },
  actions: { act, isBusy },
}: {
  readonly held: HeldSource
  readonly actions: Actions
}) {
  const [isAsked, setAsked] = useState(false)
  const many = counted(pages, "page")
  const approve = () =>
    act(`${many} of ${source} will be removed`, "POST /admin/removals/approve", { body: { source } })
  const reject = () =>
    act(`${many} of ${source} will be kept`, "POST /admin/removals/reject", {
      body: { source },
    })
  return (
    <li class="card">
      <h2>
        {many} would be removed from {source}
      </h2>
      <p class="small">
        {share(pages, of)} of its {counted(of, "page")}.{" "}
        <Link to={{ view: "run", job, outcome: null }}>A run</Link> found them gone {since(at)}.
      </p>
      <p class="state">
        {Object.entries(reasons)
          .toSorted(([, a], [, b]) => b - a)
          .map(([reason, count]) => (
            <Chip key={reason}>
              {whole(count)} {reasonOf(reason)}
            </Chip>
          ))}
      </p>
      <Sample source={source} pages={pages} />
      <p class="row">
        <Button look="danger" icon="trash" disabled={isBusy} onClick={() => setAsked(true)}>
          Remove {many}
        </Button>
        <Button icon="check" disabled={isBusy} onClick={() => void reject()}>
          {pages === 1 ? "Keep it" : "Keep them"}
        </Button>
      </p>
      {isAsked && (
        <Confirm
          title={`Remove ${many} from ${source}?`}
          yes={`Remove ${many}`}
          no="Not yet"
          onYes={() => void approve()}
          onClose={() => setAsked(false)}
        >
          <p>
            Searches will no longer find them. A copy of each will be kept for a while, so that you can
            restore them under “Removed”.
          </p>
        </Confirm>
      )}
    </li>
  )
}

const FIRST = 5
const STEP = 100
const MOST = 1000

/** Some of the pages, and all of them on request. */
function Sample({ source, pages }: { readonly source: string; readonly pages: number }) {
  const [limit, setLimit] = useState(FIRST)
  const { value, problem, refresh } = usePolled(
    `held ${source} ${pages} ${limit}`,
    (signal) => appliance.call("GET /admin/removals", { query: { state: "held", source, limit }, signal }),
    () => null,
  )
  if (problem !== null) return <Problem text={problem} onAgain={refresh} />
  if (value === null) return <Loading />
  return (
    <>
      <ul class="sample" aria-label={`Pages that would be removed from ${source}`}>
        {value.removals.map(({ url, reason, detail }) => (
          <li key={url}>
            <PageLink to={url}>{url}</PageLink> <span class="small">{detail ?? reasonOf(reason)}</span>
          </li>
        ))}
      </ul>
      {value.total > value.removals.length && limit < MOST && (
        <p class="more">
          <Button look="quiet" icon="down" onClick={() => setLimit(limit === FIRST ? STEP : MOST)}>
            Show more ({whole(value.total)} in all)
          </Button>
        </p>
      )}
    </>
  )
}
