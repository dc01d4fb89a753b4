import { Gauge, type Registry } from "prom-client"

import type { SourceResult } from "#crawler/reporting/alerts/source-results.ts"
import { JOB_RESULTS } from "#crawler/job.ts"

import { sharing } from "#base/flow/sharing.ts"

/** Maximum number of sources in the metrics: each adds several series, so sources beyond this limit are shown only by the admin API. */
export const MAX_SOURCES = 200

/** Returns the results of the first `limit` sources, ordered by name. */
export type SourceResults = (limit: number) => Promise<readonly SourceResult[]>

/** How the last runs of the declared sources ended. */
export function registerSources(registry: Registry, results: SourceResults): void {
  // All figures come from one reading, so that they agree.
  const look = sharing(() => results(MAX_SOURCES))
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    show: (gauge: Gauge, result: SourceResult) => void,
  ): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const found = await look()
        made.reset()
        for (const one of found) show(made, one)
      },
    })
  }
  gauge(
    "fossick_source_result",
    "1 for the result of the source's last finished run, 0 for the others.",
    ["source", "result"],
    (made, { source, result: was }) => {
      for (const name of JOB_RESULTS) made.set({ source, result: name }, was === name ? 1 : 0)
    },
  )
  gauge(
    "fossick_source_bad_runs",
    "Consecutive runs of the source that failed or finished with problems.",
    ["source"],
    (made, { source, badRuns }) => made.set({ source }, badRuns),
  )
  gauge(
    "fossick_source_last_run_timestamp_seconds",
    "When the last run of the source ended, in seconds since 1970.",
    ["source"],
    (made, { source, endedAt }) => {
      if (endedAt !== null) made.set({ source }, endedAt.getTime() / 1000)
    },
  )
}
