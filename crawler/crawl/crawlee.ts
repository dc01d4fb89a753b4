import { AutoscaledPool, Configuration, LocalEventManager, log, LogLevel } from "@crawlee/basic"
import { machineMemory } from "#base/process/machine-memory.ts"

/** The work that {@link runCrawlee} drives. */
export interface Work {
  /** The next piece of work, or null if none may start now. Its promise must not reject. */
  next(): Promise<(() => Promise<void>) | null>
  /** Whether {@link next} would return something. */
  hasNext(): Promise<boolean>
  isFinished(): boolean
}

/** How soon the end of a politeness pause is noticed. */
const POLL_SECONDS = 0.05
/** Share of the memory of the machine or its container that a crawl may fill; the same as Crawlee's own. */
const MEMORY_SHARE = 0.25

/**
 * Runs visits through Crawlee's autoscaled pool: as many at a time as the machine has room for, up to `concurrency`
 * over all jobs. Only Crawlee's pool is used: its crawlers would add a queue, retries, sessions, statistics and a clock
 * to each visit, which costs more than fetching a small page and repeats work.
 */
export async function runCrawlee(work: Work, concurrency: number): Promise<void> {
  log.setLevel(LogLevel.OFF)
  const memory = machineMemory()
  const config = new Configuration({
    persistStorage: false,
    purgeOnStart: false,
    systemInfoV2: true,
    memoryMbytes: Math.floor((memory * MEMORY_SHARE) / 1024 / 1024),
  })
  const events = new OwnProcessEvents(config, memory)
  config.useEventManager(events)
  const pool = new AutoscaledPool(
    {
      async runTaskFunction() {
        const visit = await work.next()
        await visit?.()
      },
      isTaskReadyFunction: () => work.hasNext(),
      isFinishedFunction: () => Promise.resolve(work.isFinished()),
      minConcurrency: Math.min(4, concurrency),
      maxConcurrency: concurrency,
      desiredConcurrency: concurrency,
      maybeRunIntervalSecs: POLL_SECONDS,
      loggingIntervalSecs: null,
    },
    config,
  )
  await events.init()
  try {
    await pool.run()
  } finally {
    await events.close()
  }
}

/**
 * Tells the pool once a second how busy the machine is. A crawl has threads and no child processes, so its memory is
 * that of this process; Crawlee would start `ps` each time to look for child processes.
 */
class OwnProcessEvents extends LocalEventManager {
  constructor(config: Configuration, totalBytes: number) {
    super(config)
    const getMemoryInfo = () =>
      Promise.resolve({ totalBytes, mainProcessBytes: process.memoryUsage.rss(), childProcessesBytes: 0 })
    // Crawlee declares the method private, so a subclass cannot override it with normal syntax.
    Object.assign(this, { getMemoryInfo })
  }
}
