import { More, useFirstRows } from "../asking/more.tsx"
import { IDLE_MS, LIVE_MS, useAnswer } from "../asking/use-polled.ts"
import { Link } from "../link.tsx"
import { Head, isOpen, Loading, Nothing, Problem } from "../parts.tsx"
import { RunTable } from "./run-table.tsx"

/** All runs, or those of one source, newest first. */
export function Runs({ source }: { readonly source: string | null }) {
  const rows = useFirstRows()
  const { value, problem, refresh } = useAnswer(
    "GET /admin/jobs",
    { query: { source: source ?? undefined, limit: rows.limit } },
    ({ jobs }) => (jobs.some(({ state }) => isOpen(state)) ? LIVE_MS : IDLE_MS),
  )
  return (
    <>
      <Head
        title={source === null ? "Runs" : `Runs for ${source}`}
        page={source === null ? "Runs" : `Runs for ${source}`}
        under={source !== null && <Link to={{ view: "runs", source: null }}>Runs for all sources</Link>}
      />
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && value.jobs.length === 0 && (
        <Nothing icon="clock" title="No runs yet">
          <p>Run a source, or wait for its schedule.</p>
        </Nothing>
      )}
      {value !== null && value.jobs.length > 0 && (
        <section class="block" aria-label="All runs">
          <RunTable caption="Runs" jobs={value.jobs} />
          {value.total > value.jobs.length && rows.more !== null && (
            <More
              rows={rows}
              shown={value.jobs.length}
              total={value.total}
              label="More runs"
              unit={["run"]}
            />
          )}
        </section>
      )}
    </>
  )
}
