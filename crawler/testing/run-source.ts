import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { runJob } from "../crawl/run-job.ts"
import type { Job } from "../job.ts"
import { Jobs } from "../jobs/jobs.ts"
import { crawlerSettings } from "../settings.ts"
import { Sources } from "../sources/sources.ts"

/** One run of a declared source, whose site is on loopback. */
export async function runSource(name: string, db: StateStore, engine: Engine): Promise<Job | null> {
  const jobs = new Jobs(db)
  const config = readSettings(crawlerSettings, { FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8" })
  const { id } = jobs.enqueue(new Sources(db, jobs).get(name)!.source, { trigger: "run" })
  const { signal } = new AbortController()
  return await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued" })
}
