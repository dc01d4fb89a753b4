import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { unwritableMessage, isUnwritable } from "#base/disk-space.ts"
import { openLog } from "#base/telemetry/log/log.ts"
import { stopSignal } from "#base/process/stop-signal.ts"
import { EXIT_LOCKED, EXIT_NO_ROOM } from "#base/process/worker-process.ts"
import { trustAuthorities } from "#base/process/authorities.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { BackupTable } from "./backup-table.ts"
import { runBackups } from "./due-backups.ts"

// A separate process that makes the requested backups and then ends, so that its memory is freed. With the argument
// `keep-all` it deletes no old backups.

const env = environment()
trustAuthorities(env)
const settings = readSettings(engineSettings, env)
const log = openLog("crawler", env)
const signal = stopSignal()
const db = await openStateStore(settings.dataDir)
try {
  const isDone = await runBackups({
    backups: new BackupTable(db),
    db,
    dataDir: settings.dataDir,
    minFreeMb: settings.minFreeMb,
    openEngine: () => openEngine(settings, { mode: "read" }),
    mayDelete: process.argv[2] !== "keep-all",
    log,
    signal,
  })
  if (!isDone) process.exitCode = EXIT_LOCKED
} catch (error) {
  // The error is due to the data folder, so nothing about the run can be stored now. The run stays queued, as crawls do
  // in that case.
  if (!isUnwritable(error, settings.dataDir)) throw error
  log.error(`${unwritableMessage(settings.dataDir)} The next scheduled backup will try again.`)
  process.exitCode = EXIT_NO_ROOM
} finally {
  db.close()
  if (process.connected) process.disconnect()
}
