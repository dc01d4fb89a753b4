import { setTimeout as sleep } from "node:timers/promises"
import { type Engine, EngineError } from "#engine"
import { secondsLeft } from "#engine/lifecycle/filling/filling-rate.ts"
import { engineSettings } from "#engine/settings.ts"
import { tidyGenerations } from "#engine/lifecycle/generations/building/build.ts"
import { repairIndex } from "#engine/lifecycle/generations/repair.ts"
import { openBeside, openForWriting } from "#engine/lifecycle/generations/open-for-writing.ts"
import {
  Upgrade,
  type UpgradeProgress,
  adoptModel,
  upgradeFormat,
} from "#engine/lifecycle/generations/building/upgrade.ts"
import { openGenerations } from "#engine/open-engine.ts"
import { repeat } from "#base/flow/repeat.ts"
import { DiskRoom, isUnwritable } from "#base/disk-space.ts"
import { trustAuthorities } from "#base/process/authorities.ts"
import { openLog } from "#base/telemetry/log/log.ts"
import { environment, readSettings } from "#base/settings.ts"
import { aboutSeconds } from "#base/text/duration.ts"
import { steadyNow } from "#base/steady-time.ts"
import { forgetCopies } from "../fetch/content/local-copy.ts"
import { crawlerSettings } from "../settings.ts"
import { CHECK_ALL, EXIT_AGAIN, EXIT_LOCKED, EXIT_NO_ROOM } from "#base/process/worker-process.ts"
import { KnownAddresses } from "./frontier/known-addresses.ts"
import { LostPages } from "./frontier/lost-pages.ts"
import { Jobs } from "../jobs/jobs.ts"
import { openJobQueue } from "../jobs/queue/open-job-queue.ts"
import { carryOutRemovals } from "../upkeep/removals/carry-out.ts"
import { Removals } from "../upkeep/removals/removals.ts"
import { ScanShelf } from "../page/scans/scan-shelf.ts"
import { AmongCrawlers } from "./together/among-crawlers.ts"
import { CrawlShare } from "./together/crawl-share.ts"
import { JobRuns } from "./together/job-runs.ts"
import { removeAskedPages } from "../upkeep/removals/remove-pages.ts"
import { hasOldRules, pruneRules } from "../sources/readers/prune-rules.ts"
import { SourceTable } from "../sources/source-table.ts"
import { keepOutbound } from "#base/outbound/outbound.ts"
import { startTracing } from "#base/telemetry/traces/tracing.ts"
import { openStateOnceThere } from "#base/store/postgres/outage.ts"
import { stopSignal } from "#base/process/stop-signal.ts"
import { TimeGuard } from "#base/store/clock/trusted-time.ts"

// The process of job-process.ts. It runs queued jobs, lets the engine make missing vectors, and then ends to free its
// memory. It is the only writer of an embedded index while it runs. An index on a server can be shared by the processes
// of several crawlers, and one of these maintains the index.

const POLL_MS = 250
const PROGRESS_EVERY_MS = 30_000
/** Time between checks of the pages' languages while a crawl is running. */
const LOOK_MS = 5000
/** Time between checks for other active crawlers. */
const OTHERS_MS = 1000
/** Time between log lines about vectors that are still to be made. */
const VECTORS_EVERY_MS = 60_000

const env = environment()
trustAuthorities(env)
const config = readSettings(crawlerSettings, env)
const engineConfig = readSettings(engineSettings, env)
const log = openLog("crawler", env)

const room = new DiskRoom(engineConfig.dataDir, engineConfig.minFreeMb)
let isLow = false
let isAgain = false
// Running work ends as if the appliance were stopped, and continues in the next process.
const told = room.untilLow(stopSignal(), (note) => {
  isLow = true
  log.warn(note)
})
const lost = new AbortController()
const stop = AbortSignal.any([told.signal, lost.signal])

/** Work done alongside crawls. */
interface Duty {
  isDue(): Promise<boolean>
  work(): Promise<void>
}

const opened = await openStateOnceThere(engineConfig.dataDir, stop, (why) => log.error(why))
if (opened === null) process.exit(0)
const db = opened
const outbound = keepOutbound(db)
const tracing = await startTracing("fossick-crawler", config)
const jobs = new Jobs(db)
const sources = new SourceTable(db, jobs)
const removals = new Removals(db)
let storeFailed = false
const among =
  engineConfig.engine === "embedded"
    ? null
    : await AmongCrawlers.begin({
        db,
        jobs,
        onLost(why) {
          log.warn({ why }, "the job process is stopping: {why}")
          isAgain = true
          lost.abort()
        },
        onProblem(error) {
          if (!storeFailed) log.warn({ err: error }, "the state cannot be reached; visits are waiting for it")
          storeFailed = true
        },
      })
await forgetCopies(
  engineConfig.dataDir,
  (await sources.list()).map(({ source }) => source.name),
)
const isKeeper = among?.isKeeper ?? true
const beAlone = async () => among === null || (await among.beAlone())
try {
  if (await among?.hasToWait())
    throw new EngineError("INDEX_LOCKED", "Another crawler is changing the index.")
  await using generations = await openGenerations(engineConfig, {
    chooses: isKeeper,
    onProblem: (error) => {
      log.warn({ err: error }, "the engine had a problem and will try again")
    },
  })
  const onProgress = loggedNowAndThen()
  const isThorough = process.argv.includes(CHECK_ALL)
  const isAlone = await beAlone()
  let lostPages: number | null = null
  if (isAlone) {
    const repair = await repairIndex(generations, {
      depth: isThorough ? "all" : "small",
      signal: stop,
      onProgress,
    })
    for (const { file, damage, repaired } of repair.findings)
      log.warn({ file, damage, repaired }, "a file was damaged")
    lostPages = repair.pages
    // Nothing can be crawled into an index of an older format.
    if (await upgradeFormat(generations, { signal: stop, onProgress }))
      log.info("the index was upgraded to the current format")
    const crawlWaits = (await jobs.hasRunning()) || (await jobs.nextQueued()) !== null
    if (await adoptModel(generations, { crawlWaits, signal: stop, onProgress }))
      log.info("a new index is in use")
  }
  await using current = await (isKeeper ? openForWriting : openBeside)(generations)
  if (isAlone) {
    await tidyGenerations(
      generations,
      (await new TimeGuard(db).mayDelete()) ? engineConfig.rollbackDays : Infinity,
    )
    await among?.beAmong()
  }
  const upgrade = new Upgrade(generations, current)
  const { engine } = upgrade
  if (among === null) await jobs.recover()
  else await among.recover()
  const { pages } = await engine.stats()
  // While other processes are writing, their pages are not fully recorded.
  if (isAlone && (lostPages !== null || pages < (await new KnownAddresses(db).pages()))) {
    const lost = await new LostPages(db).find(engine, stop)
    if (lost > 0) log.warn({ lost }, "the index has lost pages; they will be read again at their next visit")
  }
  let [wasOver, lookedAt] = [false, -Infinity]
  /** Whether this process has to end, so that the next one can load the model that fits the index. */
  const hasOtherModel = async (isCrawlOver: boolean): Promise<boolean> => {
    if (!generations.auto || stop.aborted || !isKeeper) return false
    if (wasOver === isCrawlOver && steadyNow() - lookedAt < LOOK_MS) return false
    ;[wasOver, lookedAt] = [isCrawlOver, steadyNow()]
    const decision = await generations.auto.look(engine, { isCrawlOver })
    if (decision && decision.text !== lastText) log[decision.isMade ? "info" : "warn"](decision.text)
    lastText = decision?.text ?? lastText
    // The next process would have to wait for the other crawlers.
    return decision !== null && decision.isAnother && decision.isMade && !(await hasOthers())
  }
  let lastText = ""
  let othersAt = -Infinity
  let others = false
  /** Whether other crawlers are writing to the index, as of a moment ago. */
  const hasOthers = async (): Promise<boolean> => {
    if (among === null || steadyNow() - othersAt < OTHERS_MS) return others
    othersAt = steadyNow()
    return (others = await among.hasOthers())
  }
  /** Whether other crawlers have written since this process began: their pages may lack vectors. */
  let hadOthers = false
  const settle = () =>
    engine.settled().then(
      () => true,
      (error: unknown) => {
        if (!stop.aborted) log.error({ err: error }, "vectors could not be made")
        return true
      },
    )
  let settled = settle()
  using _ = tellOfVectors(engine)
  await using share = new CrawlShare(config, among ?? undefined, new ScanShelf(engineConfig.dataDir))
  await using queue = openJobQueue({
    db,
    jobs,
    dataDir: engineConfig.dataDir,
    onProblem(error) {
      log.warn({ err: error }, "no job could be taken from the queue; will try again")
    },
  })
  const halt = new AbortController()
  const runs = new JobRuns({
    db,
    jobs,
    queue,
    engine,
    config,
    log,
    signal: AbortSignal.any([stop, halt.signal]),
    share,
    ...(among && { process: among.process }),
  })
  /** Sources whose runs are in progress, here and elsewhere. */
  const atWork = async () => runs.sources.union(await jobs.sourcesAtWork())
  let hasPruned = false
  const duties: readonly Duty[] = [
    {
      // A job whose source was deleted has been asked to end.
      async isDue() {
        const removals = await sources.removals()
        if (removals.length === 0) return false
        const busy = await atWork()
        return removals.some((name) => !busy.has(name))
      },
      async work() {
        const { writes } = share
        const removed = await removeAskedPages({
          db,
          engine,
          sources,
          signal: stop,
          except: await atWork(),
          writes,
        })
        log.info({ removed }, "the pages of deleted sources were removed")
      },
    },
    {
      isDue: async () => !hasPruned && (await hasOldRules(db, Date.now)),
      async work() {
        hasPruned = true
        if (await new TimeGuard(db).mayDelete()) await pruneRules(db, engine, Date.now)
      },
    },
    {
      isDue: () => removals.hasWork(),
      async work() {
        await carryOutRemovals({ db, engine, writes: share.writes })
        log.info("the operator's decisions on removals were carried out")
      },
    },
  ]
  /** Duties that failed: they are left to the next process, so that they do not delay any crawl. */
  const failed = new Set<Duty>()
  const due = async (): Promise<Duty | undefined> => {
    if (!isKeeper) return undefined
    for (const duty of duties) if (!failed.has(duty) && (await duty.isDue())) return duty
    return undefined
  }
  /** Work done alongside crawls, one piece at a time. */
  const beside: { duty: Promise<void> | null } = { duty: null }
  const takeDuty = async () => {
    const duty = beside.duty === null ? await due() : undefined
    if (duty === undefined) return
    beside.duty = duty
      .work()
      .catch((error: unknown) => {
        log.error({ err: error }, "pages could not be removed or restored; will try again later")
        failed.add(duty)
        process.exitCode = 1
      })
      .finally(() => {
        beside.duty = null
        // Vectors of removed pages have to be deleted too.
        settled = settle()
      })
  }
  /** Sources whose pages have to be removed before these sources are crawled again. */
  const unready = async () => new Set(failed.size > 0 ? [] : await sources.removals())
  let upgradeFails = false
  /** Works on the replacement index until a crawl is requested. @returns false if it fails. */
  const built = async () => {
    const giveWay = new AbortController()
    const look = async () => {
      if (stop.aborted || (await jobs.nextQueued()) || (await due())) giveWay.abort()
    }
    try {
      // If this check fails, the main loop repeats it and reports the error.
      await using _ = repeat(() => look().catch(() => giveWay.abort()), POLL_MS)
      const swapped = await upgrade.work({ signal: giveWay.signal, onProgress })
      log.info(swapped ? "a new index is in use" : "building the new index paused for a crawl")
      return true
    } catch (error) {
      log.error({ err: error }, "the new index could not be built; will try again later")
      // An immediate retry would find no more room.
      if (!(error instanceof EngineError && error.code === "NO_ROOM")) process.exitCode = 1
      return false
    } finally {
      await among?.beAmong()
    }
  }
  try {
    for (;;) {
      hadOthers ||= await hasOthers()
      if (!stop.aborted) {
        await takeDuty()
        await runs.begin(await unready())
      }
      const atWork = [...runs.promises, ...(beside.duty === null ? [] : [beside.duty])]
      if (atWork.length > 0) {
        const before = runs.ended
        await Promise.race([...atWork, sleep(POLL_MS)])
        if (runs.ended > before) settled = settle()
        if (await hasOtherModel(false)) {
          isAgain = true
          break
        }
        continue
      }
      if (stop.aborted) break
      if (await hasOtherModel(true)) {
        isAgain = true
        break
      }
      if (await Promise.race([settled, sleep(POLL_MS, false)])) {
        // A crawl may have been queued at the very last moment.
        if ((await jobs.nextQueued()) || (await due())) continue
        if (!isKeeper) {
          // Without a maintaining process, this process has to run again to make the vectors.
          isAgain = (await among?.isKeeperGone()) ?? false
          break
        }
        if (await hasOthers()) {
          await sleep(POLL_MS)
          continue
        }
        if (hadOthers) {
          isAgain = true
          break
        }
        if (upgradeFails || !(await upgrade.isDue())) break
        if (!(await beAlone())) {
          await sleep(POLL_MS)
          continue
        }
        upgradeFails = !(await built())
        // The index that is open here is no longer the one in use.
        if (!(await upgrade.isDue())) break
      }
    }
  } finally {
    // Ensures, even after an error, that nothing is running when the index is closed.
    halt.abort()
    await Promise.all(runs.promises)
    await beside.duty
  }
  if (runs.failures.length > 0) process.exitCode = 1
} catch (error) {
  const locked = error instanceof EngineError && error.code === "INDEX_LOCKED"
  isLow ||= isUnwritable(error, engineConfig.dataDir)
  log[locked || stop.aborted ? "info" : "error"]({ err: error }, "the index cannot be written")
  process.exitCode = locked ? EXIT_LOCKED : 1
} finally {
  told[Symbol.dispose]()
  await unlessLost(async () => await among?.[Symbol.asyncDispose]())
  await tracing[Symbol.asyncDispose]()
  await outbound[Symbol.asyncDispose]()
  db.close()
}
if (isAgain && !process.exitCode) process.exitCode = EXIT_AGAIN
if (isLow) process.exitCode = EXIT_NO_ROOM
if (process.connected) process.disconnect()

/** Callers that need an unreachable store report it themselves; other crawlers detect that this process is lost. */
async function unlessLost(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ err: error }, "the end of the job process could not be recorded")
  }
}

/** Logs now and then how many pages are waiting for vectors and for how long, and once when all have theirs. */
function tellOfVectors(engine: Pick<Engine, "stats">): Disposable {
  let hasTold = false
  const tell = async () => {
    const stats = await engine.stats()
    const { pagesWithoutVectors: pages, passagesWithoutVectors: passages, vectorsPerSecond } = stats
    const seconds = secondsLeft(stats)
    if (pages > 0 && seconds !== null) {
      const fields = {
        pages,
        passages,
        perSecond: Math.round(vectorsPerSecond!),
        left: aboutSeconds(seconds),
      }
      log.info(
        fields,
        "{pages} pages are waiting for vectors: {passages} passages, {perSecond} a second, about {left} left",
      )
    } else if (pages > 0) {
      log.info({ pages, passages }, "{pages} pages are waiting for vectors: {passages} passages")
    } else if (hasTold) log.info("all pages have their vectors")
    hasTold = pages > 0
  }
  // The code that needs the index reports any error that prevents the query.
  const timer = setInterval(() => void tell().catch(() => undefined), VECTORS_EVERY_MS)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
    },
  }
}

function loggedNowAndThen(): (progress: UpgradeProgress) => void {
  let loggedAt = 0
  return ({ step, done, of }) => {
    if (steadyNow() - loggedAt < PROGRESS_EVERY_MS) return
    loggedAt = steadyNow()
    log.info({ step, done, of }, "a new index is being built")
  }
}
