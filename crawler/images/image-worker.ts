import { setPriority } from "node:os"
import { pino } from "pino"
import { engineSettings } from "#engine/config.ts"
import { environment, readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../config.ts"
import { PageReader } from "../visit/reader.ts"
import { allowance } from "../visit/source-reader.ts"
import { Jobs } from "../jobs/jobs.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { stopSignal } from "#base/process/stop-signal.ts"
import { collectImages } from "./collect-images.ts"
import { ImageStore, type UnreadImage } from "./image-store.ts"

// The process of follow-images.ts. Image decoders are large programs that read what strangers send: one that
// crashes takes down this process and nothing else.

const LOW_PRIORITY = 10

const env = environment()
const config = readSettings(crawlerSettings, env)
const { dataDir } = readSettings(engineSettings, env)
const log = pino({ name: "images", level: env["FOSSICK_LOG_LEVEL"] || "info" })
setPriority(LOW_PRIORITY)

const stop = stopSignal()

const db = openStateStore(dataDir)
try {
  await using opened = new AsyncDisposableStack()
  const reader = opened.use(new PageReader(config))
  const own = new Map<string, PageReader>()
  for (const [host, allow] of await allowedStarts(new Jobs(db)))
    own.set(host, opened.use(new PageReader(config, { allow })))
  // A private host that was crawled by name may show its own images, but no other site's page may reach into it.
  const readerFor = (image: UnreadImage) => (image.isOwn && own.get(image.host)) || reader
  await collectImages({ store: new ImageStore(db, dataDir), readerFor, config, signal: stop })
} catch (error) {
  log.error({ err: error }, "images could not be read")
  process.exitCode = 1
} finally {
  db.close()
}
if (process.connected) process.disconnect()

/** What jobs were allowed to reach, by the host and port of their seeds. */
async function allowedStarts(jobs: Jobs): Promise<Map<string, string[]>> {
  const allowed = new Map<string, string[]>()
  for (const source of jobs.sources()) {
    for (const seed of source.seeds) {
      const { host } = new URL(seed)
      const one = await allowance({ ...source, seeds: [seed] })
      allowed.set(host, [...new Set([...(allowed.get(host) ?? []), ...one])])
    }
  }
  for (const [host, list] of allowed) if (list.length === 0) allowed.delete(host)
  return allowed
}
