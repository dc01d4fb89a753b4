import { DiskRoom } from "#base/disk-space.ts"
import { onInterrupt } from "#base/process/interrupt.ts"
import { setTimeout as sleep } from "node:timers/promises"
import { type Engine, EngineError } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { upgradeNow } from "#engine/lifecycle/generations/building/upgrade-now.ts"
import { openChoosingEngine, openGenerations } from "#engine/open-engine.ts"
import { environment, readSettings, type Values } from "#base/settings.ts"
import { CommandError } from "#base/run-command.ts"
import { crawlerSettings, readOnlyNotice } from "../../settings.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { didYouMean } from "#base/text/near-names.ts"
import type { DescribedCrawl } from "./described-crawl.ts"
import { CrawlDisplay } from "./crawl-display.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { BY_HAND, isOver, type Job, type Visiting } from "../../job.ts"
import { CrawlShare } from "../../crawl/together/crawl-share.ts"
import { ScanShelf } from "../../page/scans/scan-shelf.ts"
import { JobRuns, type JobRunsOptions } from "../../crawl/together/job-runs.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { openUnlessLocked } from "../open-unless-locked.ts"

const POLL_MS = 500

type Config = Values<typeof engineSettings & typeof crawlerSettings>

/** What to run: one crawl described on the command line, or declared sources by name; `all`: every source that is not paused. */
export type CrawlWish = (DescribedCrawl | { readonly names: readonly string[] | "all" }) & {
  readonly json: boolean
  /** Whether to visit only the addresses that failed last time. */
  readonly failed: boolean
}

/**
 * One `fossick crawl` or `fossick sources run`. If an appliance is running, it gets the crawls and this command watches
 * them. If there is none, or it stops, the crawls run here, as many at a time as in the appliance. Ctrl-C and SIGTERM
 * pause them and keep their frontiers.
 * @returns the exit code; for several runs, the worst one.
 * @throws SettingsError
 * @throws ArgumentsError when a name is not a declared source, or when it is one but the options contradict it; then
 * nothing runs.
 */
export async function crawl(wish: CrawlWish): Promise<number> {
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const notice = readOnlyNotice(config.readOnly)
  if (notice !== null) throw new CommandError(notice)
  const stop = new AbortController()
  using _ = onInterrupt(() => stop.abort())
  let isLow = false
  const room = new DiskRoom(config.dataDir, config.minFreeMb)
  using told = room.untilLow(stop.signal, (note) => {
    isLow = true
    process.stderr.write(`${note}\n`)
  })
  using db = await openStateStore(config.dataDir)
  let pausing = Promise.resolve()
  try {
    const jobs = new Jobs(db)
    const wanted = await jobsFor(wish, jobs, new SourceTable(db, jobs), wish.json)
    const pause = () => {
      pausing = pauseOurs(wanted, jobs)
      // The promise is awaited at the end.
      pausing.catch(() => undefined)
    }
    if (stop.signal.aborted) pause()
    else stop.signal.addEventListener("abort", pause)
    const runs = new WatchedRuns(wanted, jobs, new CrawlDisplay(wish.json))
    const isOtherModel = await runs.follow({ db, config, stop: stop.signal, signal: told.signal })
    if (isOtherModel) await rebuilt(config, runs.display, told.signal)
    const ended = await runs.endAll()
    if (wanted.length > 1 && !wish.json) process.stdout.write(`${ended.map(endLine).join("\n")}\n`)
    return worst(ended.map((job) => exitOf(job, isLow)))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.failed
  } finally {
    await pausing
  }
}

async function pauseOurs(wanted: readonly Job[], jobs: Jobs): Promise<void> {
  for (const job of wanted) if (isOurs(job)) await jobs.pause(job.id)
}

interface FollowOptions {
  readonly db: StateStore
  readonly config: Config
  /** Ctrl-C. */
  readonly stop: AbortSignal
  /** Ends this process's runs: on Ctrl-C, and when a disk is almost full. */
  readonly signal: AbortSignal
}

/** Follows the requested runs and shows their progress. */
class WatchedRuns {
  readonly display: CrawlDisplay
  readonly #wanted: readonly Job[]
  readonly #jobs: Jobs
  /** Jobs whose end has been shown. */
  readonly #ended = new Set<number>()

  constructor(wanted: readonly Job[], jobs: Jobs, display: CrawlDisplay) {
    this.display = display
    this.#wanted = wanted
    this.#jobs = jobs
  }

  /** Shows the jobs until all have ended, and runs them here if no crawler does. @returns whether the index now needs another model */
  async follow({ db, config, stop, signal }: FollowOptions): Promise<boolean> {
    for (const job of await this.#now()) this.display.start(job)
    for (;;) {
      // Runs started by a schedule or the API are only watched: they continue when you stop watching.
      const open = (await this.#now()).filter((job) => isOpen(job) && (isOurs(job) || !stop.aborted))
      if (open.length === 0) return false
      if (!(await this.#jobs.hasCrawler())) {
        const opened = await openUnlessLocked(
          () => openChoosingEngine(config),
          this.display.note.bind(this.display),
        )
        if (opened) return await this.#runHere(opened, db, config, signal)
      }
      this.display.show(open, await this.#jobs.sourcesAtWork())
      await sleep(POLL_MS)
    }
  }

  /** Shows how jobs ended, unless that has been shown already. @returns all jobs */
  async endAll(): Promise<readonly Job[]> {
    const ended = await this.#now()
    for (const job of ended) await this.#showEnd(job)
    return ended
  }

  async #runHere(
    opened: Awaited<ReturnType<typeof openChoosingEngine>>,
    db: StateStore,
    config: Config,
    signal: AbortSignal,
  ): Promise<boolean> {
    await using engine = opened.engine
    const jobs = this.#jobs
    // The process that ran the job must be gone, or the index would be locked.
    await jobs.recover()
    const ids = new Set(this.#wanted.map(({ id }) => id))
    await runHere({ db, jobs, engine, config, signal, ids, onPoll: () => this.#showProgress() })
    if (!(await this.#now()).some(({ state }) => state === "finished")) return false
    const decision = await opened.auto?.look(engine, { isCrawlOver: true })
    if (decision?.isAnother) this.display.note(decision.text)
    const isOtherModel = decision?.isAnother === true && decision.isMade
    if (!isOtherModel) await vectors(engine, this.display, signal)
    return isOtherModel
  }

  async #showProgress(): Promise<void> {
    const all = await this.#now()
    this.display.show(all.filter((job) => isOpen(job)))
    // The last job counts as ended only once its vectors are made.
    if (!all.some((job) => isOpen(job))) return
    for (const job of all) if (isOver(job.state)) await this.#showEnd(job)
  }

  async #showEnd(job: Job): Promise<void> {
    if (this.#ended.has(job.id)) return
    this.#ended.add(job.id)
    this.display.end(job, await this.#jobs.failures(job.id, 10))
  }

  async #now(): Promise<readonly Job[]> {
    return await Promise.all(this.#wanted.map(async (asked) => (await this.#jobs.get(asked.id)) ?? asked))
  }
}

function exitOf(job: Job, isLow: boolean): number {
  if (job.result === "finished") return EXIT.ok
  if (job.result === "finished-with-problems") return EXIT.problems
  if (job.result === "failed" || job.state === "failed" || job.state === "cancelled") return EXIT.failed
  return isLow ? EXIT.failed : EXIT.interrupted
}

/** An interrupted run counts as worst, since the same command resumes it; a failed run comes next. */
function worst(codes: readonly number[]): number {
  return [EXIT.interrupted, EXIT.failed, EXIT.problems].find((code) => codes.includes(code)) ?? EXIT.ok
}

/** How one of several runs ended: `wiki: failed, the login was refused`. */
const endLine = ({ source, result, state, reason }: Job): string =>
  `${source.name}: ${(result ?? state).replaceAll("-", " ")}${reason === null ? "" : `, ${reason}`}`

/** Requests all jobs at once, or none. @throws ArgumentsError */
async function jobsFor(
  wish: CrawlWish,
  jobs: Jobs,
  sources: SourceTable,
  json: boolean,
): Promise<readonly Job[]> {
  if (!("names" in wish)) return [await jobFor(wish, jobs, sources)]
  const names = wish.names === "all" ? await unpaused(sources, json) : [...new Set(wish.names)]
  for (const name of names)
    if ((await sources.get(name)) === null) throw new ArgumentsError(await noSource(name, sources))
  const asked: Job[] = []
  for (const name of names) {
    const job = await sources.run(name, { trigger: "run", visits: visitsOf(wish) })
    if (job) asked.push(job)
  }
  return asked
}

/** @throws ArgumentsError when there is none */
async function unpaused(sources: SourceTable, json: boolean): Promise<readonly string[]> {
  const all = await sources.list()
  const paused = all.filter((one) => one.paused).map(({ source }) => source.name)
  if (paused.length > 0 && !json)
    process.stderr.write(`Skipped, because they are paused: ${paused.join(", ")}. To run one, name it.\n`)
  if (all.length === paused.length)
    throw new ArgumentsError("There is no source to run. Declare one, or name a paused one")
  return all.filter((one) => !one.paused).map(({ source }) => source.name)
}

const visitsOf = ({ failed }: Pick<CrawlWish, "failed">): Visiting => (failed ? "failed" : "all")

/** @throws ArgumentsError */
async function jobFor(
  wish: DescribedCrawl & Pick<CrawlWish, "failed">,
  jobs: Jobs,
  sources: SourceTable,
): Promise<Job> {
  const { name } = wish
  if (!wish.isDescribed) {
    const job = await sources.run(name, { trigger: "run", visits: visitsOf(wish) })
    if (job) return job
  }
  // A bare word must be a name; a host might be an address.
  if (wish.source === null || /^[^./:?#]+$/.test(name)) {
    if (await sources.get(name)) {
      throw new ArgumentsError(
        `${name} is a declared source and takes only the options --failed and --json; change its declaration instead`,
      )
    }
    if (wish.source === null || name.toLowerCase() !== "localhost") {
      const host = /^[\w-]+$/.test(name)
        ? `\nTo crawl a host of that name, write its address: http://${name}/`
        : ""
      throw new ArgumentsError(`${await noSource(name, sources)}${host}`)
    }
  }
  return await jobs.enqueue(wish.source, { visits: visitsOf(wish) })
}

/** Maximum number of sources listed: a longer list would hide the message. */
const SHOWN_SOURCES = 20

async function noSource(name: string, sources: SourceTable): Promise<string> {
  const names = (await sources.list()).map(({ source }) => source.name)
  const more = names.length > SHOWN_SOURCES ? ` and ${names.length - SHOWN_SOURCES} more` : ""
  const others =
    names.length === 0
      ? "; no sources are declared"
      : `; the sources are ${names.slice(0, SHOWN_SOURCES).join(", ")}${more}`
  return `There is no source ${JSON.stringify(name)}${didYouMean(name, names) || others}`
}

interface RunHereOptions extends Pick<JobRunsOptions, "db" | "jobs" | "engine" | "signal"> {
  readonly config: Config
  readonly ids: ReadonlySet<number>
  readonly onPoll: () => Promise<void>
}

/** Runs jobs in this process, as many at a time as an appliance would. */
async function runHere({ ids, onPoll, ...options }: RunHereOptions): Promise<void> {
  const { jobs, config, signal, engine } = options
  await using share = new CrawlShare(config, undefined, new ScanShelf(config.dataDir))
  const runs = new JobRuns({
    ...options,
    share,
    only: ids,
    whenAborted: (job) => (isOurs(job) ? "paused" : "queued"),
  })
  for (let ended = 0; ;) {
    if (!signal.aborted) await runs.begin()
    if (runs.promises.length === 0) break
    await Promise.race([...runs.promises, sleep(POLL_MS)])
    await onPoll()
    // Vectors for finished crawls are made while the others are running.
    if (runs.ended > ended) engine.settled().catch(() => undefined)
    ended = runs.ended
  }
  // Pauses jobs that had not started.
  for (const id of ids) {
    const job = await jobs.get(id)
    if (job?.state === "queued" && isOurs(job)) await jobs.pause(id)
  }
  const [failure] = runs.failures
  if (failure !== undefined) throw failure as Error
}

const isOpen = ({ state }: Job): boolean => state === "queued" || state === "running"

const isOurs = ({ trigger }: Job): boolean => BY_HAND.includes(trigger)

/** Builds the index for the model that the crawled pages need. After Ctrl-C, the appliance completes the build. */
async function rebuilt(
  settings: Values<typeof engineSettings>,
  display: CrawlDisplay,
  signal: AbortSignal,
): Promise<void> {
  await using context = await openGenerations(settings)
  await upgradeNow(context, {
    signal,
    onProgress({ step, done, of }) {
      if (step === "vectors") display.vectors(of - done)
    },
  })
}

/** Without an appliance, no other process makes the vectors. After Ctrl-C, the next writer makes the remaining ones. */
async function vectors(engine: Engine, display: CrawlDisplay, signal: AbortSignal): Promise<void> {
  const settling = engine.settled().then(() => true)
  // Closing the engine ends a wait that Ctrl-C interrupted, with an error that contains no other information.
  settling.catch(() => undefined)
  const tick = () => sleep(POLL_MS, false, { signal }).catch(() => false)
  do display.vectors((await engine.stats()).pagesWithoutVectors)
  while (!signal.aborted && !(await Promise.race([settling, tick()])))
}
