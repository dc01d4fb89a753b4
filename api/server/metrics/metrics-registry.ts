import { monitorEventLoopDelay } from "node:perf_hooks"

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"

import type { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import type { Jobs } from "#crawler/jobs/jobs.ts"
import { JOB_STATES } from "#crawler/job.ts"
import type { Engine, EngineStats } from "#engine"
import { secondsLeft } from "#engine/lifecycle/filling/filling-rate.ts"
import { degradedCounts } from "#base/flow/degraded.ts"
import { fossickVersion } from "#base/fossick-version.ts"

import type { Middleware } from "../../context.ts"
import type { Served } from "../../feature.ts"
import { counts, type LoadParts, registerLoad } from "./load-metrics.ts"
import type { PeerCounts } from "../../services/federation/federation.ts"
import { registerPeers } from "./peer-metrics.ts"
import { registerSources, type SourceResults } from "./source-metrics.ts"

export type JobCounts = Pick<Jobs, "count" | "hasCrawler">

export type BackupResults = Pick<BackupTable, "plan" | "last">

export interface MetricsParts {
  readonly engine: Pick<Engine, "stats">
  readonly jobs: JobCounts
  readonly backups: BackupResults
  readonly sourceResults: SourceResults
  /** What of the index is out of order; left out where nobody can tell. */
  readonly indexState?:
    | { wordsAlone(): boolean; notReranked(): boolean; lostPages(): Promise<number> }
    | undefined
  /** Of each other appliance that is asked; empty where there is none. */
  readonly peers: () => readonly PeerCounts[]
  readonly load: LoadParts
  /** Add the metrics of features. */
  readonly metricsOf: readonly NonNullable<Served["metrics"]>[]
  readonly disk: {
    /** Of the data folder's; null where nobody knows. */
    readonly freeBytes: () => number | null
    /** Calls that were answered and wait for room to be counted. */
    readonly uncounted: () => number
  }
  /** First segments of the paths that are served; a request for anything else counts as `other`. */
  readonly endpoints: readonly string[]
  /** Refuses who may not read them. */
  readonly authenticate: Middleware
}

/** What is known of a request when it is over. */
interface RequestLabels {
  readonly endpoint: string
  readonly method: string
  readonly status: string
  /** Of a search that was answered; null for all else. */
  readonly depth: string | null
}

export interface Recorder {
  /** A request begins; the returned function is called when it is over. */
  begin(): (labels: RequestLabels) => void
  read(): Promise<{ readonly text: string; readonly type: string }>
}

/** Seconds: from a search by words alone to a crawl that takes all it may. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150]
/** The index and `state.db` are looked at no more often than this, however many ask. */
const FRESH_MS = 10_000
/** Milliseconds between two looks at the event loop's delay; each wakes the process, and takes no JavaScript. */
const EVENT_LOOP_MS = 20
/** The share of the looks that were no later than what is told. */
const QUANTILES = [0.5, 0.99, 1]

/** Everything that is measured, in a registry of its own. */
export async function openRecorder({
  engine,
  jobs,
  backups,
  sourceResults,
  disk,
  load,
  indexState,
  peers,
  metricsOf,
}: MetricsParts): Promise<Recorder> {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_MS })
  registerDelay(registry)
  const durations = new Histogram({
    name: "fossick_http_request_duration_seconds",
    help: "From the first byte of a request to the last of its answer.",
    labelNames: ["endpoint", "method", "status"],
    buckets: BUCKETS,
    registers,
  })
  const running = new Gauge({
    name: "fossick_http_requests_in_flight",
    help: "Requests that are being answered.",
    registers,
  })
  const searches = new Counter({
    name: "fossick_searches_total",
    help: "Searches answered, by depth.",
    labelNames: ["depth"],
    registers,
  })
  new Gauge({
    name: "fossick_build_info",
    help: "Always 1; the version is in the label.",
    labelNames: ["version"],
    registers,
  }).set({ version: fossickVersion() }, 1)
  counts(
    registry,
    "fossick_degraded_answers_total",
    "Answers that were made without a part that was late, busy or out of order, by part.",
    "part",
    degradedCounts,
  )
  registerLoad(registry, load)
  registerDisk(registry, disk)
  registerBackups(registry, backups)
  registerSources(registry, sourceResults)
  registerPeers(registry, peers)
  for (const register of metricsOf) await register(registry)
  const update = indexAndJobs(registry, { engine, jobs, indexState })
  return {
    begin() {
      const startedAt = performance.now()
      running.inc()
      return ({ depth, ...labels }) => {
        running.dec()
        durations.observe(labels, (performance.now() - startedAt) / 1000)
        if (depth !== null) searches.inc({ depth })
      }
    },
    async read() {
      await update()
      return { text: await registry.metrics(), type: registry.contentType }
    },
  }
}

/**
 * How late the event loop comes to its work, since the scrape before: what holds it up holds up every answer. The library's own
 * figures count the time between two looks in, and so never fall below it.
 */
function registerDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: EVENT_LOOP_MS })
  delays.enable()
  const gauge: Gauge = new Gauge({
    name: "fossick_event_loop_delay_seconds",
    help: "How late the event loop came to its work since the last scrape: 0.5 is the median, 1 the worst.",
    labelNames: ["quantile"],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) {
        const late = delays.count === 0 ? 0 : delays.percentile(quantile * 100) / 1e6 - EVENT_LOOP_MS
        gauge.set({ quantile }, Math.max(0, late) / 1000)
      }
      delays.reset()
    },
  })
}

function registerDisk(registry: Registry, { freeBytes, uncounted }: MetricsParts["disk"]): void {
  const free: Gauge = new Gauge({
    name: "fossick_disk_free_bytes",
    help: "Bytes left on the disk of the data folder.",
    registers: [],
    collect() {
      const bytes = freeBytes()
      if (bytes !== null && Number.isFinite(bytes)) this.set(bytes)
    },
  })
  const waiting: Gauge = new Gauge({
    name: "fossick_calls_uncounted",
    help: "Calls that were answered on a full disk and wait to be counted.",
    registers: [],
    collect() {
      this.set(uncounted())
    },
  })
  for (const gauge of [free, waiting]) registry.registerMetric(gauge)
}

/** Where backups by schedule are declared. */
function registerBackups(registry: Registry, backups: BackupResults): void {
  const made: Gauge = new Gauge({
    name: "fossick_backup_last_success_timestamp_seconds",
    help: "When the last backup by schedule was done, in seconds since 1970.",
    labelNames: ["backup"],
    registers: [],
    async collect() {
      const name = (await backups.plan())?.plan.name
      const endedAt = (await backups.last("finished"))?.endedAt
      this.reset()
      if (name !== undefined && endedAt) this.set({ backup: name }, endedAt.getTime() / 1000)
    },
  })
  const failed: Gauge = new Gauge({
    name: "fossick_backup_failed",
    help: "1 when the last backup by schedule failed.",
    labelNames: ["backup"],
    registers: [],
    async collect() {
      const name = (await backups.plan())?.plan.name
      const last = await backups.last()
      this.reset()
      if (name !== undefined) this.set({ backup: name }, last?.state === "failed" ? 1 : 0)
    },
  })
  for (const gauge of [made, failed]) registry.registerMetric(gauge)
}

/** Gauges of what lies outside this process. @returns what brings them up to date, at most every FRESH_MS */
function indexAndJobs(
  registry: Registry,
  { engine, jobs, indexState }: Pick<MetricsParts, "engine" | "jobs" | "indexState">,
): () => Promise<void> {
  const gauge = <T extends string = never>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const up = gauge("fossick_index_up", "1 while the index can be read.")
  const wordsAlone = gauge(
    "fossick_index_words_alone",
    "1 while searches find by words alone, as the vectors, their model or its server are out of order.",
  )
  const notReranked = gauge(
    "fossick_index_not_reranked",
    "1 while the reranker that is set gives no answers, and searches are ranked without it.",
  )
  const lost = gauge(
    "fossick_index_lost_pages",
    "Pages that were lost with damaged files and are not yet read again.",
  )
  const gauges: readonly (readonly [Gauge, (stats: EngineStats) => number])[] = [
    [gauge("fossick_index_pages", "Pages in the index."), (stats) => stats.pages],
    [gauge("fossick_index_passages", "Passages of the pages in the index."), (stats) => stats.passages],
    [
      gauge(
        "fossick_index_pages_without_vectors",
        "Pages found by their words only, until they are embedded.",
      ),
      (stats) => stats.pagesWithoutVectors,
    ],
    [
      gauge("fossick_index_passages_without_vectors", "Passages of those pages."),
      (stats) => stats.passagesWithoutVectors,
    ],
    [
      gauge(
        "fossick_vectors_per_second",
        "Passages that got their vectors in a second, over the last minute.",
      ),
      (stats) => stats.vectorsPerSecond ?? 0,
    ],
    [
      gauge(
        "fossick_vectors_seconds_left",
        "Seconds until all passages have their vectors, as things go; NaN while nobody can tell.",
      ),
      (stats) => secondsLeft(stats) ?? Number.NaN,
    ],
  ]
  const crawler = gauge("fossick_crawler_up", "1 while a crawler process is at work on the data folder.")
  const jobGauge = gauge("fossick_jobs", "Runs of sources that are known, by state.", "state")
  let looked = -Infinity
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    crawler.set((await jobs.hasCrawler()) ? 1 : 0)
    for (const state of JOB_STATES) jobGauge.set({ state }, await jobs.count({ state }))
    wordsAlone.set(indexState?.wordsAlone() ? 1 : 0)
    notReranked.set(indexState?.notReranked() ? 1 : 0)
    lost.set((await indexState?.lostPages()) ?? 0)
    const stats = await engine.stats().catch(() => null)
    up.set(stats === null ? 0 : 1)
    if (stats === null) return
    for (const [one, value] of gauges) one.set(value(stats))
  }
  return async () => {
    if (performance.now() - looked < FRESH_MS) return
    looking ??= look().finally(() => {
      looked = performance.now()
      looking = undefined
    })
    await looking
  }
}
