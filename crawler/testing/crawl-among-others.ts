import { pino } from "pino"
import { pause } from "#base/flow/pause.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { AmongCrawlers } from "../crawl/together/among-crawlers.ts"
import { CrawlShare } from "../crawl/together/crawl-share.ts"
import { JobRuns } from "../crawl/together/job-runs.ts"
import type { Resolve } from "../fetch/guard/address-guard.ts"
import { Jobs } from "../jobs/jobs.ts"
import { openJobQueue } from "../jobs/queue/open-job-queue.ts"
import { testConfig } from "./crawl-fixture.ts"
import { MemoryEngine } from "./memory-engine.ts"

// The job process of one of several crawlers, which can be killed. It works on the jobs in the state of its data folder
// until its input ends; all their hosts are on this machine.

const [dataDir = "", userAgent = "", hostDelay = ""] = process.argv.slice(2)
const db = await openStateStore(dataDir)
const jobs = new Jobs(db)
const stop = new AbortController()
process.stdin.once("end", () => stop.abort()).resume()
const log = pino({ level: "silent" })
const onProblem = (error: unknown) => process.stderr.write(`${String(error)}\n`)
{
  await using among = await AmongCrawlers.begin({ db, jobs, onLost: () => stop.abort(), onProblem })
  const config = testConfig({
    FOSSICK_USER_AGENT: userAgent,
    FOSSICK_HOST_DELAY_MS: hostDelay,
    FOSSICK_JOBS: "2",
  })
  await using share = new CrawlShare(config, among)
  await using engine = new MemoryEngine()
  const resolve: Resolve = (_, __, callback) => {
    callback(null, [{ address: "127.0.0.1", family: 4 }])
  }
  const { process: own } = among
  await using queue = openJobQueue({ db, jobs, dataDir, onProblem })
  const runs = new JobRuns({
    db,
    jobs,
    queue,
    engine,
    config,
    log,
    signal: stop.signal,
    share,
    resolve,
    process: own,
  })
  await among.recover()
  while (!stop.signal.aborted) {
    await runs.begin()
    await pause(50, stop.signal)
  }
  await Promise.all(runs.promises)
}
db.close()
