import { existsSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { join } from "node:path"
import { LeftVersions } from "#engine/adapters/embedded/lance/left-versions.ts"
import { hasDamagedFiles, indexFolder } from "#engine/lifecycle/generations/damaged-sizes.ts"
import { wantedModel } from "#engine/lifecycle/generations/generation-file.ts"
import { engineSettings } from "#engine/settings.ts"
import { unwritableMessage, DiskRoom, isUnwritable, makeDataFolder } from "#base/disk-space.ts"
import { trustAuthorities } from "#base/process/authorities.ts"
import { openLog } from "#base/telemetry/log/log.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { environment, readSettings } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"
import { AlertBook } from "./reporting/alerts/alert-book.ts"
import { followAlerts } from "./reporting/alerts/follow-alerts.ts"
import { BackupTable } from "./upkeep/backup/scheduled/backup-table.ts"
import { BackupTasks } from "./upkeep/backup/scheduled/backup-tasks.ts"
import { followBackups } from "./upkeep/backup/scheduled/follow-backups.ts"
import { crawlerSettings, readOnlyNotice, userAgentHeader } from "./settings.ts"
import { sourceNamed } from "./reporting/why/membership-reasons.ts"
import { followScans } from "./upkeep/scans/follow-scans.ts"
import { followImages } from "./upkeep/images/follow-images.ts"
import { ImageStore } from "./upkeep/images/image-store.ts"
import { CHECK_ALL, WorkerProcess } from "#base/process/worker-process.ts"
import { Jobs } from "./jobs/jobs.ts"
import { BEAT_MS } from "./job.ts"
import { Removals } from "./upkeep/removals/removals.ts"
import { CrawlTasks } from "./sources/crawl-tasks.ts"
import { SourceTable } from "./sources/source-table.ts"
import { takeFolder } from "#base/store/file-lock.ts"
import { keepOutbound } from "#base/outbound/outbound.ts"
import { OtherStateError } from "#base/store/state-generation.ts"
import { strangeState, STRANGE_STATE_ADVICE } from "#base/store/state-identity.ts"
import { OwnProcess, SIGN_MS } from "#base/store/processes/own-process.ts"
import { isStateAway, openStateOnceThere } from "#base/store/postgres/outage.ts"
import { giveBack, isOnServer } from "#base/store/state-store.ts"
import { clockInDoubt, DOUBT_ADVICE, TimeGuard } from "#base/store/clock/trusted-time.ts"
import { Ticker } from "./jobs/tasks/ticker.ts"
import { watchContent } from "./fetch/content/watch/watch-content.ts"
import { followWebhooks } from "./reporting/webhooks/follow-webhooks.ts"
import { WebhookQueue } from "./reporting/webhooks/webhook-queue.ts"
import { pause } from "#base/flow/pause.ts"
import type { Source } from "./source.ts"
import { repeatWorker } from "#base/work/repeat-worker.ts"
import { KnownError } from "#base/errors.ts"

// The crawler process. It is small while there is nothing to do, since all work happens in a separate process that ends
// with the work.

const JOB_WORKER = moduleBeside(import.meta.url, "./crawl/job-worker")
const POLL_MS = 250
/** Wait between attempts when a job process has failed, or when another writer has the index; doubled each time. */
const PAUSE_MS = 2000
const MAX_PAUSE_MS = 30_000
/** Time limit for a crawler that lost its appliance to stop its work. */
const PATIENCE_MS = 15_000
/** Time after which a crawler on another machine is known to be lost. */
const LOST_MS = 20_000
/** Roles: one for the crawler that does the common work for all crawlers of a state, and one for the only crawler of an embedded index. */
const LEAD = "crawler-lead"
const ONLY = "crawler-of-embedded-index"
const DAY_MS = 86_400_000
/** Time between checks for entries that are old enough to be forgotten. */
const TIDY_MS = 3_600_000
/** Milliseconds between checks that all index files exist and have the right sizes, and that no superfluous ones are left over. */
const SIZES_MS = 15_000

const env = environment()
trustAuthorities(env)
const config = readSettings(crawlerSettings, env)
const notice = readOnlyNotice(config.readOnly)
const { dataDir, engine, minFreeMb, warnFreeMb } = readSettings(engineSettings, env)
const log = openLog("crawler", env)
makeDataFolder(dataDir)
// The embedded index has one writer. An index on a server can be filled by several crawlers, here and on other
// machines.
const isShared = engine !== "embedded"
await takeFolder(dataDir, "crawler", { patienceMs: PATIENCE_MS, isShared }).catch(endTaken)
const stop = new AbortController()
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => {
    stop.abort()
  })
}
process.on("disconnect", () => {
  stop.abort()
})
const opened = await openStateOnceThere(dataDir, stop.signal, (why) => log.error(why)).catch(
  (error: unknown) => {
    if (error instanceof OtherStateError) return endTaken(error)
    throw error
  },
)
if (opened === null) process.exit(0)
const db = opened
/** This process, as one of several that share the state, if there can be several. */
const own = isShared || isOnServer(db) ? await OwnProcess.begin(db, "crawler") : null
if (own !== null && !isShared) await becomeOnlyOne(own).catch(endTaken)
const lostState = await strangeState(dataDir, db)
// If there is a supervisor, the API reports this instead.
if (lostState !== null && process.send === undefined) log.error(`${lostState} ${STRANGE_STATE_ADVICE}`)
const outbound = keepOutbound(db)
const jobs = new Jobs(db)
const sources = new SourceTable(db, jobs)
const removals = new Removals(db)
const backups = new BackupTable(db)
const ticker = new Ticker([new CrawlTasks(sources, jobs), new BackupTasks(backups)])

// An earlier process may have left running jobs, pages without vectors, or a half-built new index.
let unfinished =
  engine !== "embedded" ||
  ["index", "generations"].some((name) => existsSync(join(dataDir, name))) ||
  (await jobs.hasRunning())
/** The model requested by a user, as read when the last job process started. */
let modelWanted: string | undefined
let tidyAt = 0
let hasTidied = false
let sizesAt = 0
/** When the whole index is read next to find damage: at the start, and then once a day. */
let checkAllAt = 0
let looking = Promise.resolve()
let givingBack = Promise.resolve()
const leftVersions = new LeftVersions()
const guard = new TimeGuard(db)
let isInDoubt = false
const room = new DiskRoom(dataDir, minFreeMb, { warn: warnFreeMb })
let isWaiting = false
let isNear = false
let stuckBy: string | null = null
await unlessStuck(() => jobs.crawlerBeat(process.pid))
let signAt = 0
/** Whether this crawler handles schedules, receivers, backups and expiry: only one of several crawlers does. */
let leads = own === null
const led: Promise<unknown>[] = []
const ticks: { last: Promise<void> | null } = { last: null }
const beat = setInterval(() => {
  tellNear()
  ticks.last ??= unlessStuck(tick)
    .catch(endBroken)
    .finally(() => (ticks.last = null))
}, BEAT_MS)
async function tick(): Promise<void> {
  await jobs.crawlerBeat(process.pid)
  if (own !== null && steadyNow() >= signAt) await sign(own)
  if (notice !== null) return
  if (engine === "embedded" && steadyNow() >= sizesAt) {
    sizesAt = steadyNow() + SIZES_MS
    // The job process repairs the index, and frees the space of removed pages.
    looking = hasDamagedFiles(dataDir)
      .then(async (isDamaged) => isDamaged || leftVersions.areDue(await indexFolder(dataDir)))
      .then((isDue) => void (unfinished ||= isDue))
  }
  // A user requested another model: the job process builds the index for it.
  if (modelWanted !== undefined) unfinished ||= wantedModel(dataDir, engine) !== modelWanted
  if (!leads) return
  await tellClock()
  for (const { kind, name, run, isLeftOut } of await ticker.tick()) {
    log[isLeftOut ? "warn" : "info"](
      kind === "crawl" ? { source: name, job: run } : { [kind]: name, run },
      isLeftOut
        ? `the scheduled ${kind} ${name} was skipped, because the last one is still running`
        : `the scheduled ${kind} ${name} is queued`,
    )
  }
  if (steadyNow() >= tidyAt) {
    tidyAt = steadyNow() + TIDY_MS
    if (!(await guard.mayDelete())) return
    if (hasTidied && steadyNow() >= checkAllAt) unfinished = true
    // An index that was kept as a fallback may have expired: the job process deletes it.
    if (hasTidied) unfinished ||= existsSync(join(dataDir, "generations"))
    hasTidied = true
    await jobs.forget(Date.now() - config.jobHistoryDays * DAY_MS)
    await removals.purge()
    await removals.forgetDead()
    givingBack = giveBack(db).catch((err: unknown) =>
      log.warn({ err }, "free space in state.db could not be released yet"),
    )
  }
}

// A read-only crawler does none of the following, but keeps running: in containers it is a service that must not exit.
if (notice !== null) log.warn(notice)
if (leads) lead()
// Each crawler has its own store of scans, in its data folder.
if (notice === null)
  led.push(followScans({ dataDir, run: (name) => runForScans(name), room, log, signal: stop.signal }))

log.info("the crawler is ready")
// Saves the compile cache for the next start now, so that it exists after a crash too: otherwise it would be written
// only when the process ends normally.
flushCompileCache()
await repeatWorker({
  async start() {
    const isThorough = steadyNow() >= checkAllAt
    if (isThorough) checkAllAt = steadyNow() + DAY_MS
    modelWanted = wantedModel(dataDir, engine)
    return new WorkerProcess(JOB_WORKER, isThorough ? [CHECK_ALL] : [])
  },
  hasWork: async () => notice === null && (await hasWork()) && hasRoom(),
  onExit(code) {
    unfinished = code !== 0
  },
  called: "the job process",
  pollMs: POLL_MS,
  pauseMs: PAUSE_MS,
  maxPauseMs: MAX_PAUSE_MS,
  log,
  signal: stop.signal,
})

await looking
await givingBack
await Promise.all(led)
clearInterval(beat)
await ticks.last
await unlessStuck(async () => {
  await jobs.crawlerGone(process.pid)
  await own?.[Symbol.asyncDispose]()
})
await outbound[Symbol.asyncDispose]()
db.close()
log.info("the crawler has stopped")
if (process.connected) process.disconnect()

/** Records that this process is alive, and checks on others that may not be. */
async function sign(me: OwnProcess): Promise<void> {
  signAt = steadyNow() + SIGN_MS
  if (!(await me.sign())) {
    log.error("the crawler was considered lost and others have taken over its work; it is restarting")
    process.exitCode = 1
    stop.abort()
    return
  }
  await me.bury()
  if (leads || !(await me.take(LEAD))) return
  leads = true
  lead()
}

/** Starts the work that one crawler does for all the others. */
function lead(): void {
  if (notice !== null) return
  const { signal } = stop
  if (config.images) led.push(followImages({ store: new ImageStore(db, dataDir), jobs, room, log, signal }))
  led.push(
    followWebhooks({
      queue: new WebhookQueue(db),
      networks: config.webhookNetworks,
      proxy: config,
      userAgent: userAgentHeader(config),
      env,
      log,
      signal,
    }),
    followAlerts({
      book: new AlertBook(db),
      config,
      userAgent: userAgentHeader(config),
      declared: async () => (await sources.list()).map(({ source }) => source.name),
      env,
      log,
      signal,
    }),
    watchContent({
      db,
      sources: async () => (await sources.list()).flatMap(({ source, paused }) => (paused ? [] : source)),
      run: (source) => runChanged(source),
      log,
      signal,
    }),
    followBackups({ backups, mayDelete: () => guard.mayDelete(), log, signal }),
  )
}

/** Starts a run of a source whose content has changed. Returns false when its last run has not ended, because that run may have missed the change. */
async function runChanged(
  source: Source,
  why = "the content of {source} is new or has changed",
): Promise<boolean> {
  if ((await jobs.open(source.name)).some(({ state }) => state !== "paused")) return false
  const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due", author: "operator" })
  log.info({ source: source.name, job: id }, `${why}: a run is queued`)
  return true
}

/** Starts a run of a source whose scans were read, in the same way; a paused or removed source is not run. */
async function runForScans(name: string): Promise<boolean> {
  const source = await sourceNamed(name, { sources, jobs })
  if (source === null || (await sources.get(name))?.paused === true) return true
  return await runChanged(source, "scans of {source} were read")
}

/**
 * Checks that no other crawler fills an embedded index for this state. The embedded index is in this data folder, and
 * its crawler's visits are recorded in the state. A second crawler with another folder would take jobs from this one,
 * and each index would have only some of the pages.
 * @throws KnownError
 */
async function becomeOnlyOne(me: OwnProcess): Promise<void> {
  const late = performance.now() + LOST_MS
  while (!(await me.take(ONLY))) {
    if (performance.now() >= late) {
      throw new KnownError(
        "Another crawler is already using this state (FOSSICK_STATE), and the embedded engine allows only one. To run several crawlers, set FOSSICK_ENGINE to opensearch or meilisearch; if this is a separate appliance, give it a schema of its own in FOSSICK_STATE.",
      )
    }
    await pause(SIGN_MS, stop.signal)
    if (stop.signal.aborted) process.exit(0)
    await me.sign()
    await me.bury()
  }
}

/** Ends the process because trying again would not help; the supervisor, if there is one, ends the appliance. */
async function endTaken(error: unknown): Promise<never> {
  const { message } = error as Error
  return await new Promise<never>(() => {
    const end = () => process.exit(1)
    if (process.send === undefined) process.stderr.write(`${message}\n`, end)
    else process.send({ kind: "fatal", message }, end)
  })
}

/** Ends the process with an unexpected error, as a throw outside of a promise would. */
function endBroken(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}

/** Reports once that work is waiting for room on the disk, and once that it is continuing. */
function hasRoom(): boolean {
  const isLow = room.isLow()
  if (isLow !== isWaiting) log[isLow ? "warn" : "info"](isLow ? room.note : "the disk has free space again")
  isWaiting = isLow
  return !isLow
}

/** Reports once that the clock is in doubt, and once that it no longer is. */
async function tellClock(): Promise<void> {
  const doubt = await clockInDoubt(db)
  if (doubt !== null && !isInDoubt) log.warn(`${doubt} ${DOUBT_ADVICE}`)
  if (doubt === null && isInDoubt) {
    log.info("the clock is no longer in doubt")
    tidyAt = 0
  }
  isInDoubt = doubt !== null
}

/** Warns once before the disk runs out of room, whether there is work or not. */
function tellNear(): void {
  const near = room.nearNote()
  if (near !== null && !isNear) log.warn(near)
  isNear = room.isNear()
}

/** Does work. A full disk or an unreachable state is only logged and does not end the process: the error will recur, or the work can be made up for later. */
async function unlessStuck(work: () => Promise<void>): Promise<void> {
  try {
    await work()
    if (stuckBy !== null) log.info("the crawler continues")
    stuckBy = null
  } catch (error) {
    const isAway = isStateAway(error)
    if (!isAway && !isUnwritable(error, dataDir)) throw error
    const then = isAway ? "The crawler is waiting for it." : "Work will then continue automatically."
    const why = `${isAway ? (error as Error).message : unwritableMessage(dataDir)} ${then}`
    if (why !== stuckBy) log.error(why)
    stuckBy = why
  }
}

/** Whether there is work for a job process, if known. */
async function hasWork(): Promise<boolean> {
  let isDue = false
  await unlessStuck(async () => {
    isDue =
      unfinished ||
      (await jobs.nextQueued()) !== null ||
      (isShared && (await jobs.hasLost())) ||
      (await removals.hasWork()) ||
      (await sources.removals()).length > 0
  })
  return isDue
}
