import { yieldToOthers } from "#base/process/low-priority.ts"
import { watchMemory } from "#base/process/watch-memory.ts"
import { EXIT_AGAIN } from "#base/process/worker-process.ts"
import { environment, readSettings } from "#base/settings.ts"
import { stopSignal } from "#base/process/stop-signal.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { openLog } from "#base/telemetry/log/log.ts"
import { engineSettings } from "#engine/settings.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { ScanShelf } from "../../page/scans/scan-shelf.ts"
import { crawlerSettings } from "../../settings.ts"
import { readScans } from "./read-scans.ts"

// The process started by follow-scans.ts. Renderers and recognisers are large programs that read untrusted files, so
// they run in a separate process that can crash safely.

/** If this share of the memory is still in use after a page, the next page gets a new process. */
const SPENT_SHARE = 0.6

const env = environment()
const { scanMemoryMb } = readSettings(crawlerSettings, env)
const { dataDir } = readSettings(engineSettings, env)
const log = openLog("scans", env)
yieldToOthers()

const stop = stopSignal()
// Kills this process before the system kills it or another process of the appliance. The recorded attempt shows which
// page was being read.
watchMemory(scanMemoryMb, () => {
  log.warn(
    { memoryMb: scanMemoryMb },
    "text recognition took too much memory; its process is being restarted",
  )
  process.kill(process.pid, "SIGKILL")
})

const shelf = new ScanShelf(dataDir)
if (shelf.recognition !== null) {
  const db = await openStateStore(dataDir)
  try {
    const known = new KnownAddresses(db)
    const isSpent = () => process.memoryUsage.rss() > SPENT_SHARE * scanMemoryMb * 1024 * 1024
    await readScans({
      shelf,
      recognition: shelf.recognition,
      makeDue: ({ url, source }) => known.makeDue(url, source),
      isOver: () => stop.aborted || isSpent(),
      log,
    })
    if (!stop.aborted && isSpent()) process.exitCode = EXIT_AGAIN
  } catch (error) {
    log.error({ err: error }, "scans could not be read")
    process.exitCode = 1
  } finally {
    db.close()
  }
}
if (process.connected) process.disconnect()
