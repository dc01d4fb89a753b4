import { setTimeout as sleep } from "node:timers/promises"
import { bytesText, counted } from "#engine/commands/command-progress.ts"
import { engineSettings } from "#engine/settings.ts"
import { interruptible } from "#engine/lifecycle/move/interruptible.ts"
import { openEngine } from "#engine/open-engine.ts"
import { EXIT } from "#base/exit-codes.ts"
import { printableLine } from "#base/text/printable.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { type BackupRun, BackupTable } from "../../upkeep/backup/scheduled/backup-table.ts"
import { runBackups } from "../../upkeep/backup/scheduled/due-backups.ts"
import { planAndRuns } from "./backups-text.ts"
import { withState } from "../with-state.ts"

const SHOWN_RUNS = 20
/** Time between checks on a backup that another process is making. */
const LOOK_MS = 250
const QUIET = { info: () => {}, warn: () => {}, error: () => {} }

/** `fossick backups list`. @returns the exit code */
export async function listBackups(json: boolean): Promise<number> {
  return await withState((db) => showBackups(new BackupTable(db), json))
}

/** Shows the plan and its newest runs. @returns the exit code */
export async function showBackups(backups: BackupTable, json: boolean): Promise<number> {
  const stored = await backups.plan()
  const runs = await backups.runs(SHOWN_RUNS)
  if (json) say(JSON.stringify({ ...stored, runs }))
  else if (stored === null) say("No backup is declared. See docs/backup-and-restore.md.")
  else for (const line of planAndRuns(stored, runs)) say(line)
  return EXIT.ok
}

/** `fossick backups run`: makes a backup now, or waits for the one that is running. @returns the exit code */
export async function runBackup(json: boolean): Promise<number> {
  const settings = readSettings(engineSettings, environment())
  const db = await openStateStore(settings.dataDir)
  try {
    const backups = new BackupTable(db)
    if ((await backups.plan()) === null) {
      throw new CommandError(
        "No backup is declared. Add a block backup to the sources file, or name a file: fossick backup <file>.",
      )
    }
    const { id } = await backups.ask("command")
    return await interruptible(
      async (signal) => {
        const work = { backups, db, dataDir: settings.dataDir, minFreeMb: settings.minFreeMb, signal }
        const open = () => openEngine(settings, { mode: "read" })
        // A running appliance may start the backup first.
        while (!isOver(await backups.get(id))) {
          await runBackups({ ...work, openEngine: open, mayDelete: true, log: QUIET })
          signal.throwIfAborted()
          if (!isOver(await backups.get(id))) await sleep(LOOK_MS, undefined, { signal })
        }
        return told(await backups.get(id), json)
      },
      () => process.stderr.write("Stopped. No backup was made.\n"),
    )
  } finally {
    db.close()
  }
}

const isOver = (run: BackupRun | null): boolean => run?.state !== "queued" && run?.state !== "running"

function told(run: BackupRun | null, json: boolean): number {
  if (run?.state !== "finished") throw new CommandError(run?.error ?? "The backup is no longer declared.")
  if (json) say(JSON.stringify(run))
  else say(`${run.file}: ${counted(run.pages ?? 0, "page")}, ${bytesText(run.bytes ?? 0)}, checked`)
  if (run.note !== null) process.stderr.write(`${run.note}\n`)
  return EXIT.ok
}

function say(line: string): void {
  process.stdout.write(`${printableLine(line)}\n`)
}
