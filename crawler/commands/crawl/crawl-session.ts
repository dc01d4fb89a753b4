import { DiskRoom } from "#base/disk-space.ts"
import { setTimeout as sleep } from "node:timers/promises"
import { type Engine, EngineError } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { openEngine } from "#engine/open-engine.ts"
import { environment, readSettings } from "#base/settings.ts"
import { CommandError } from "#base/run-command.ts"
import { crawlerSettings, readOnlyNotice } from "../../settings.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { didYouMean } from "#base/near-names.ts"
import type { DescribedCrawl } from "./described-crawl.ts"
import { CrawlDisplay } from "./crawl-display.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { BY_HAND, type Job } from "../../job.ts"
import { runJob } from "../../crawl/run-job.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { openUnlessLocked } from "../open-unless-locked.ts"

const POLL_MS = 500

/** What `fossick crawl` is to run: a crawl that was described, or a declared source by its name alone. */
export type CrawlWish = (DescribedCrawl | { readonly source: null; readonly name: string }) & {
  readonly json: boolean
}

/**
 * One `fossick crawl`: a running appliance is handed the crawl and watched; without one, or when it goes away,
 * the crawl runs here. Ctrl-C pauses it with its frontier kept, and so does SIGTERM.
 * @returns the exit code.
 * @throws SettingsError
 * @throws ArgumentsError when no source of that name is declared, or one is and options say otherwise.
 */
export async function crawl(wish: CrawlWish): Promise<number> {
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const notice = readOnlyNotice(config.readOnly)
  if (notice !== null) throw new CommandError(notice)
  const stop = new AbortController()
  const interrupt = () => {
    stop.abort()
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt)
  let isLow = false
  const room = new DiskRoom(config.dataDir, config.minFreeMb)
  using told = room.untilLow(stop.signal, (note) => {
    isLow = true
    process.stderr.write(`${note}\n`)
  })
  const db = openStateStore(config.dataDir)
  try {
    const jobs = new Jobs(db)
    const display = new CrawlDisplay(wish.json)
    let job = jobFor(wish, jobs, new SourceTable(db, jobs))
    // A run that a schedule or the API asked for is only watched: it goes on when nobody looks any more.
    const isOurs = BY_HAND.includes(job.trigger)
    display.start(job)
    stop.signal.addEventListener("abort", () => {
      if (isOurs) jobs.pause(job.id)
    })
    const isWanted = () => isOurs || !stop.signal.aborted
    while (isWanted() && (job.state === "queued" || job.state === "running")) {
      if (!jobs.hasCrawler()) {
        await using engine = await openUnlessLocked(() => openEngine(config, { mode: "write" }))
        if (engine) {
          // The writer of a job that was running is gone, or the index would be locked.
          jobs.recover()
          const run = runJob(job.id, {
            db,
            jobs,
            engine,
            config,
            signal: told.signal,
            whenAborted: isOurs ? "paused" : "queued",
          })
          job = await shown(run, jobs, job, display)
          if (job.state === "finished") await vectors(engine, display, told.signal)
          break
        }
      }
      display.show(job)
      await sleep(POLL_MS)
      job = jobs.get(job.id) ?? job
    }
    display.end(job, jobs.failures(job.id, 10))
    if (job.result === "finished") return EXIT.ok
    if (job.result === "finished-with-problems") return EXIT.problems
    if (job.result === "failed") return EXIT.failed
    if (job.state === "failed" || job.state === "cancelled") return EXIT.failed
    return isLow ? EXIT.failed : EXIT.interrupted
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.failed
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt)
    db.close()
  }
}

/** @throws ArgumentsError */
function jobFor(wish: CrawlWish, jobs: Jobs, sources: SourceTable): Job {
  const { name } = wish
  if (wish.source === null || !wish.isDescribed) {
    const job = sources.run(name, { trigger: "run" })
    if (job) return job
  }
  if (wish.source === null) {
    throw new ArgumentsError(noSource(name, sources))
  }
  // A bare word is meant as the name; a host may be meant as an address.
  if (/^[^./:?#]+$/.test(name)) {
    if (sources.get(name)) {
      throw new ArgumentsError(
        `${name} is a declared source, which takes no options but --json; change its declaration instead`,
      )
    }
    if (name.toLowerCase() !== "localhost") {
      const host = /^[\w-]+$/.test(name)
        ? `\nTo crawl a host of that name, write its address: http://${name}/`
        : ""
      throw new ArgumentsError(`${noSource(name, sources)}${host}`)
    }
  }
  return jobs.enqueue(wish.source)
}

/** More would hide the message. */
const SHOWN_SOURCES = 20

function noSource(name: string, sources: SourceTable): string {
  const names = sources.list().map(({ source }) => source.name)
  const more = names.length > SHOWN_SOURCES ? ` and ${names.length - SHOWN_SOURCES} more` : ""
  const others =
    names.length === 0
      ? "; none is declared"
      : `; there are ${names.slice(0, SHOWN_SOURCES).join(", ")}${more}`
  return `No source is called ${JSON.stringify(name)}${didYouMean(name, names) || others}`
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
