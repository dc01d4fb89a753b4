import { setTimeout as sleep } from "node:timers/promises"
import { type Engine, EngineError } from "#engine"
import { engineSettings } from "#engine/config.ts"
import { openEngine } from "#engine/open-engine.ts"
import { environment, readSettings, SettingsError } from "#engine/settings.ts"
import { crawlerSettings } from "./config.ts"
import { ArgumentsError, CRAWL_HELP, type CrawlArguments, parseCrawlArguments } from "./crawl-arguments.ts"
import { CrawlDisplay } from "./crawl-display.ts"
import { type Job, Jobs } from "./jobs.ts"
import { runJob } from "./run-job.ts"
import { openStateStore, type StateStore } from "./state-store.ts"

// `npm run crawl`: hands the crawl to a running appliance, or does it itself when there is none.

const EXIT = { finished: 0, failed: 1, badArguments: 2, interrupted: 130 } as const
const POLL_MS = 500

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseCrawlArguments(args)
    if (parsed === null) {
      process.stdout.write(CRAWL_HELP)
      return EXIT.finished
    }
    return await crawl(parsed)
  } catch (error) {
    if (error instanceof ArgumentsError || error instanceof SettingsError) {
      process.stderr.write(`${error.message}\nnpm run crawl -- --help shows what is possible.\n`)
      return EXIT.badArguments
    }
    if (!(error instanceof EngineError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.failed
  }
}

async function crawl({ spec, json }: CrawlArguments): Promise<number> {
  const env = environment()
  const config = readSettings(crawlerSettings, env)
  const engineConfig = readSettings(engineSettings, env)
  const db = openStateStore(engineConfig.dataDir)
  const stop = new AbortController()
  const interrupt = () => {
    stop.abort()
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt)
  try {
    const jobs = new Jobs(db)
    const job = jobs.enqueue(spec)
    const display = new CrawlDisplay(json)
    display.start(job)
    let ended: Job
    if (jobs.hasCrawler() || job.state === "running") {
      ended = await follow(jobs, job, display, stop.signal)
    } else {
      await using engine = await openEngine(engineConfig, { mode: "write" })
      jobs.recover()
      const run = runJob(job.id, { db, jobs, engine, config, signal: stop.signal, whenAborted: "stopped" })
      ended = await shown(run, jobs, job, display)
      if (ended.state === "finished") await vectors(engine, display, stop.signal)
    }
    display.end(ended, jobs.failures(ended.id, 10))
    if (ended.state === "finished") return EXIT.finished
    return ended.state === "stopped" ? EXIT.interrupted : EXIT.failed
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt)
    closeQuietly(db)
  }
}

/** Shows a job that the appliance's crawler works on. */
async function follow(jobs: Jobs, job: Job, display: CrawlDisplay, signal: AbortSignal): Promise<Job> {
  signal.addEventListener("abort", () => {
    jobs.stop(job.id)
  })
  let current = job
  while (current.state === "queued" || current.state === "running") {
    display.show(current)
    await sleep(POLL_MS)
    current = jobs.get(job.id) ?? current
  }
  return current
}

/** Shows a job that runs in this process. */
async function shown(run: Promise<Job | null>, jobs: Jobs, job: Job, display: CrawlDisplay): Promise<Job> {
  const timer = setInterval(() => {
    display.show(jobs.get(job.id) ?? job)
  }, POLL_MS)
  try {
    return (await run) ?? job
  } finally {
    clearInterval(timer)
  }
}

/** Without an appliance nobody else makes the vectors; what is left on Ctrl-C is made by the next writer. */
async function vectors(engine: Engine, display: CrawlDisplay, signal: AbortSignal): Promise<void> {
  const settling = engine.settled().then(() => true)
  // Closing the engine ends a wait that Ctrl-C cut short, with an error that says no more than that.
  settling.catch(() => undefined)
  const tick = () => sleep(POLL_MS, false, { signal }).catch(() => false)
  do display.vectors((await engine.stats()).pagesWithoutVectors)
  while (!signal.aborted && !(await Promise.race([settling, tick()])))
}

function closeQuietly(db: StateStore): void {
  if (db.isOpen) db.close()
}
