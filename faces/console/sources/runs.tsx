import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Head, isOpen, Loading, Nothing, Problem } from "../parts.tsx"
import { IDLE_MS, LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { counted } from "../words.ts"
import { RunTable } from "./run-table.tsx"

/** Runs of a page of the list, and what one more look adds. */
const AT_ONCE = 50
/** The most that one call lists. */
const MOST = 1000

/** All runs, or those of one source, newest first. */
export function Runs({ source }: { readonly source: string | null }) {
  const [limit, setLimit] = useState(AT_ONCE)
  const { value, problem, refresh } = usePolled(
    `runs ${source ?? ""} ${limit}`,
    (signal) => appliance.call("GET /admin/jobs", { query: { source: source ?? undefined, limit }, signal }),
    ({ jobs }) => (jobs.some(({ state }) => isOpen(state)) ? LIVE_MS : IDLE_MS),
  )
  return (
    <>
      <Head
        title={source === null ? "Runs" : `Runs of ${source}`}
        page={source === null ? "Runs" : `Runs of ${source}`}
        under={source !== null && <Link to={{ view: "runs", source: null }}>Runs of all sources</Link>}
      />
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && value.jobs.length === 0 && (
        <Nothing icon="clock" title="Nothing has run yet">
          <p>Run a source, or wait for its schedule.</p>
        </Nothing>
      )}
      {value !== null && value.jobs.length > 0 && (
        <section class="block" aria-label="All runs">
          <RunTable caption="Runs" jobs={value.jobs} />
          {value.total > value.jobs.length && limit < MOST && (
            <p class="more">
              <Button icon="down" onClick={() => setLimit(Math.min(MOST, limit * 2))}>
                More runs
              </Button>
              <span class="small">
                {value.jobs.length} of {counted(value.total, "run")}
              </span>
            </p>
          )}
        </section>
      )}
    </>
  )
}
