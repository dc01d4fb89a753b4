import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { runJob } from "../crawl/run-job.ts"
import { CrawlShare } from "../crawl/together/crawl-share.ts"
import type { Job } from "../job.ts"
import { Jobs } from "../jobs/jobs.ts"
import { crawlerSettings } from "../settings.ts"
import { Sources } from "../sources/sources.ts"

// One reading thread is enough: starting the threads takes longer than reading a few pages.
const config = readSettings(crawlerSettings, {
  FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
  FOSSICK_READER_THREADS: "1",
})

/** State shared by several runs of {@link runSource}, so that their reading thread starts only once. */
export const shareOfRuns = (): CrawlShare => new CrawlShare(config)

/** One run of a declared source, whose site is on loopback. */
export async function runSource(
  name: string,
  db: StateStore,
  engine: Engine,
  share?: CrawlShare,
): Promise<Job | null> {
  const jobs = new Jobs(db)
  const { id } = await jobs.enqueue((await new Sources(db, jobs).get(name))!.source, { trigger: "run" })
  const { signal } = new AbortController()
  return await runJob(id, {
    db,
    jobs,
    engine,
    config,
    signal,
    whenAborted: "queued",
    ...(share && { share }),
  })
}
