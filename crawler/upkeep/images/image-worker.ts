import { setPriority } from "node:os"
import { engineSettings } from "#engine/settings.ts"
import { watchMemory } from "#base/process/watch-memory.ts"
import { trustAuthorities } from "#base/process/authorities.ts"
import { openLog } from "#base/telemetry/log/log.ts"
import { environment, readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../settings.ts"
import { keepOutbound } from "#base/outbound/outbound.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { stopSignal } from "#base/process/stop-signal.ts"
import { collectImages } from "./collect-images.ts"
import { ImageReaders } from "./image-readers.ts"
import { ImageStore } from "./image-store.ts"

// The process started by follow-images.ts. Image decoders are large programs that read untrusted input: if one crashes,
// only this process ends.

const LOW_PRIORITY = 10

const env = environment()
trustAuthorities(env)
const config = readSettings(crawlerSettings, env)
const { dataDir } = readSettings(engineSettings, env)
const log = openLog("images", env)
setPriority(LOW_PRIORITY)

const stop = stopSignal()

// Ends this process before the system kills it or another process of the appliance. The recorded attempt identifies the
// image.
watchMemory(config.imageMemoryMb, () => {
  log.warn(
    { memoryMb: config.imageMemoryMb },
    "images took too much memory; their process is being restarted",
  )
  process.kill(process.pid, "SIGKILL")
})

const db = await openStateStore(dataDir)
const outbound = keepOutbound(db)
try {
  await using readers = new ImageReaders(db, config)
  await collectImages({
    store: new ImageStore(db, dataDir),
    readersFor: (image) => readers.of(image),
    config,
    signal: stop,
  })
} catch (error) {
  log.error({ err: error }, "images could not be read")
  process.exitCode = 1
} finally {
  await outbound[Symbol.asyncDispose]()
  db.close()
}
if (process.connected) process.disconnect()
