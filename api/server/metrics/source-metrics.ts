import { Gauge, type Registry } from "prom-client"

import type { SourceResult } from "#crawler/reporting/alerts/source-results.ts"
import { JOB_RESULTS } from "#crawler/job.ts"

/** Each source is some series; what more sources do is for the admin API to tell. */
export const MAX_SOURCES = 200

/** At most this many sources, by name. */
export type SourceResults = (limit: number) => readonly SourceResult[]

/** How the last runs of the declared sources ended. */
export function registerSources(registry: Registry, results: SourceResults): void {
  const result: Gauge = new Gauge({
    name: "fossick_source_result",
    help: "1 for the result of the source's last run that is over, 0 for the others.",
    labelNames: ["source", "result"],
    registers: [],
    collect() {
      this.reset()
      const found = results(MAX_SOURCES)
      for (const { source, result: was } of found) {
        for (const name of JOB_RESULTS) this.set({ source, result: name }, was === name ? 1 : 0)
      }
      // Of one look, so that they agree.
      badRuns.reset()
      ended.reset()
      for (const { source, badRuns: runs, endedAt } of found) {
        badRuns.set({ source }, runs)
        if (endedAt !== null) ended.set({ source }, endedAt.getTime() / 1000)
      }
    },
  })
  const badRuns = new Gauge({
    name: "fossick_source_bad_runs",
    help: "Runs of the source in a row that failed or finished with problems.",
    labelNames: ["source"],
    registers: [],
  })
  const ended = new Gauge({
    name: "fossick_source_last_run_timestamp_seconds",
    help: "When the last run of the source ended, in seconds since 1970.",
    labelNames: ["source"],
    registers: [],
  })
  // The first fills all three.
  for (const gauge of [result, badRuns, ended]) registry.registerMetric(gauge)
}
