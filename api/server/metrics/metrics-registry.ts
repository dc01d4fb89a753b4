import { Registry } from "prom-client"

import type { Middleware } from "../../context.ts"
import type { Served } from "../../feature.ts"
import type { PeerCounts } from "../../services/federation/federation.ts"
import { type BackupResults, registerBackups } from "./backup-metrics.ts"
import { type DiskParts, registerDisk } from "./disk-metrics.ts"
import { type IndexParts, registerIndex } from "./index-metrics.ts"
import { type JobCounts, registerJobs } from "./job-metrics.ts"
import { type LoadParts, registerLoad } from "./load-metrics.ts"
import { registerPeers } from "./peer-metrics.ts"
import { registerProcess } from "./process-metrics.ts"
import { type BeginRequest, registerRequests } from "./request-metrics.ts"
import { registerSources, type SourceResults } from "./source-metrics.ts"

export interface MetricsParts extends IndexParts {
  readonly jobs: JobCounts
  readonly backups: BackupResults
  readonly sourceResults: SourceResults
  /** One entry for each peer appliance. */
  readonly peers: () => readonly PeerCounts[]
  readonly load: LoadParts
  /** Functions that add the metrics of features. */
  readonly metricsOf: readonly NonNullable<Served["metrics"]>[]
  readonly disk: DiskParts
  /** First segments of the served paths; a request for any other path counts as `other`. */
  readonly endpoints: readonly string[]
  /** Refuses callers who may not read the metrics. */
  readonly authenticate: Middleware
}

export interface Recorder {
  readonly begin: BeginRequest
  read(): Promise<{ readonly text: string; readonly type: string }>
}

/** Minimum milliseconds between reads of the index and `state.db`, however many scrapers there are. */
const FRESH_MS = 10_000

/** All metrics, in their own registry. */
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
  registerProcess(registry)
  const beginRequest = registerRequests(registry)
  registerLoad(registry, load)
  registerDisk(registry, disk)
  registerBackups(registry, backups)
  registerSources(registry, sourceResults)
  registerPeers(registry, peers)
  for (const register of metricsOf) await register(registry)
  const lookAtIndex = registerIndex(registry, { engine, indexState })
  const lookAtJobs = registerJobs(registry, jobs)
  const update = atMostEvery(FRESH_MS, async () => {
    await lookAtJobs()
    await lookAtIndex()
  })
  return {
    begin: beginRequest,
    async read() {
      await update()
      return { text: await registry.metrics(), type: registry.contentType }
    },
  }
}

/** Concurrent calls share one reading. */
function atMostEvery(ms: number, look: () => Promise<void>): () => Promise<void> {
  let looked = -Infinity
  let looking: Promise<void> | undefined
  return async () => {
    if (performance.now() - looked < ms) return
    looking ??= look().finally(() => {
      looked = performance.now()
      looking = undefined
    })
    await looking
  }
}
