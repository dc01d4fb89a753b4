import { Gauge, type Registry } from "prom-client"

import { JOB_STATES } from "#crawler/job.ts"
import type { Jobs } from "#crawler/jobs/jobs.ts"

export type JobCounts = Pick<Jobs, "count" | "hasCrawler">

/** Runs by state, and whether a crawler is working on them. @returns a function that updates the gauges */
export function registerJobs(registry: Registry, jobs: JobCounts): () => Promise<void> {
  const registers = [registry]
  const crawler = new Gauge({
    name: "fossick_crawler_up",
    help: "1 while a crawler process is working on the data folder.",
    registers,
  })
  const byState = new Gauge({
    name: "fossick_jobs",
    help: "Known runs of sources, by state.",
    labelNames: ["state"],
    registers,
  })
  return async () => {
    crawler.set((await jobs.hasCrawler()) ? 1 : 0)
    for (const state of JOB_STATES) byState.set({ state }, await jobs.count({ state }))
  }
}
