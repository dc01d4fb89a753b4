import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icons.tsx"
import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Head, isOpen, Nothing } from "../parts.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useActions } from "../asking/use-actions.ts"
import { IDLE_MS, LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { counted } from "../words.ts"
import { SourceRow } from "./source-row.tsx"
import { Wanted } from "./wanted.tsx"

/** Maximum number of rows that one call lists. */
const MOST = 1000
/** Maximum number of requested pages to list, most wanted first. */
const MOST_WANTED = 20

async function look(signal: AbortSignal) {
  const [list, running, wanted] = await Promise.all([
    appliance.call("GET /admin/sources", { query: { limit: MOST }, signal }),
    appliance.call("GET /admin/jobs", { query: { state: "running", limit: MOST }, signal }),
    appliance.call("GET /admin/page-requests", { query: { limit: MOST_WANTED }, signal }),
  ])
  return { ...list, wanted, running: new Map(running.jobs.map((job) => [job.id, job])) }
}

/** The declared sources, one per row. */
export function Sources() {
  const polled = usePolled("sources", look, ({ sources }) =>
    sources.some(({ last_job: job }) => job !== null && isOpen(job.state)) ? LIVE_MS : IDLE_MS,
  )
  const { value, refresh } = polled
  const actions = useActions(refresh)
  const able = value?.sources.filter(({ paused }) => !paused) ?? []
  const runAll = () =>
    actions.act(`${counted(able.length, "source")} will run soon`, "POST /admin/sources/run", {
      body: { all: true },
    })
  return (
    <>
      <Head title="Sources" page="Sources" under={value !== null && counted(value.total, "source")}>
        <Link to={{ view: "add-source", url: null }} class="button">
          <Icon name="plus" />
          Add a source
        </Link>
        {able.length > 0 && (
          <Button look="primary" icon="play" disabled={actions.isBusy} onClick={() => void runAll()}>
            Run all
          </Button>
        )}
      </Head>
      <PolledStatus of={polled} actions={actions} />
      {value !== null && value.sources.length === 0 && (
        <Nothing icon="globe" title="No sources yet">
          <p>
            A source is a site to crawl: where to start, how far to go, and how often. Add one here, or
            declare it in <code>sources.yaml</code>, with <code>fossick sources add</code>, or through the
            API.
          </p>
          <p class="row">
            <Link to={{ view: "add-source", url: null }} class="button primary">
              <Icon name="plus" />
              Add your first source
            </Link>
            <a class="button" href="docs/crawl-a-site">
              How to crawl a site
            </a>
          </p>
        </Nothing>
      )}
      {value !== null && value.sources.length > 0 && (
        <ul class="source-rows" aria-label="Sources">
          {value.sources.map((source) => (
            <SourceRow
              key={source.name}
              entry={source}
              running={value.running.get(source.last_job?.id ?? -1)}
              actions={actions}
            />
          ))}
        </ul>
      )}
      {value !== null && value.wanted.total > 0 && <Wanted wanted={value.wanted} actions={actions} />}
      {value !== null && value.total > value.sources.length && (
        <p class="small">The first {counted(value.sources.length, "source")} are shown.</p>
      )}
    </>
  )
}
