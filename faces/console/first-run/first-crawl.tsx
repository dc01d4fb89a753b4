import { useEffect, useRef } from "preact/hooks"

import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Block, isOpen, Loading, Problem, ResultChip } from "../parts.tsx"
import { Figures } from "../run/figures.tsx"
import { Meter } from "../run/meter.ts"
import { LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { countdown } from "../words.ts"

const LATEST = 5

/** The first run of a source, live. */
export function FirstCrawl({
  source: name,
  onPages,
}: {
  readonly source: string
  /** Number of pages that can be searched so far. */
  readonly onPages: (pages: number) => void
}) {
  const meter = useRef(new Meter())
  const { value, problem, refresh } = usePolled(
    `first crawl ${name}`,
    async (signal) => {
      const look = () => appliance.call("GET /admin/sources/{name}", { path: { name }, signal })
      const entry = await look()
      if (entry.last_job === null) return { entry, job: null, addresses: [], done: 0, measured: null }
      const path = { id: entry.last_job.id }
      const [job, { addresses }] = await Promise.all([
        appliance.call("GET /admin/jobs/{id}", { path, query: { log_limit: 1, failure_limit: 0 }, signal }),
        appliance.call("GET /admin/jobs/{id}/addresses", { path, query: { limit: LATEST }, signal }),
      ])
      const done = Object.values(job.outcomes).reduce((sum, count) => sum + count, 0)
      const measured = meter.current.measure(done, performance.now())
      // If the run has ended in the meantime, its pages were counted before that. This is the last check, so they are
      // counted again.
      return { entry: isOpen(job.state) ? entry : await look(), job, addresses, done, measured }
    },
    ({ job }) => (job === null || isOpen(job.state) ? LIVE_MS : null),
  )
  const pages = value?.entry.pages ?? 0
  useEffect(() => onPages(pages), [pages])
  const job = value?.job ?? null
  return (
    <Block
      id="crawl"
      title={
        <>
          <span>
            {name} {job !== null && <ResultChip state={job.state} result={job.result} />}
          </span>
          {job !== null && <Link to={{ view: "run", job: job.id, outcome: null }}>Run details</Link>}
        </>
      }
    >
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && job === null && <p class="small">The crawl has not started.</p>}
      {value !== null && job !== null && value.measured !== null && (
        <>
          <Figures job={job} done={value.done} measured={value.measured} />
          {job.state === "queued" && <p class="small">The crawl will start in a moment.</p>}
          {job.waits.map(({ host, until, why }) => (
            <p key={host} class="small">
              Waiting for {host}: {why}; next try in{" "}
              {countdown((new Date(until).getTime() - Date.now()) / 1000)}
            </p>
          ))}
          {(job.reason ?? job.error) !== null && <p class="said">{job.reason ?? job.error}</p>}
          {!isOpen(job.state) && pages === 0 && (
            <p class="row">
              <Link to={{ view: "source", source: name }} class="button">
                Change the source
              </Link>
            </p>
          )}
          {value.addresses.length > 0 && (
            <ul class="latest" aria-label="Latest addresses">
              {value.addresses.map(({ url }) => (
                <li key={url}>
                  <Link to={{ view: "page", url, query: null }}>{url}</Link>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Block>
  )
}
