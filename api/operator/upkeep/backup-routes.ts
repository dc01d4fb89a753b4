import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

import type { Router } from "@koa/router"

import { type BackupPlan, timeOfFile } from "#crawler/backup-plan.ts"
import { type BackupRun, BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { upkeepOperations } from "./operations.ts"

/** Scheduled backups: `/admin/backups`. */
export function backupRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  serve(router, upkeepOperations.listBackups, async ({ query: { limit } }) => {
    const backups = new BackupTable(db)
    const stored = await backups.plan()
    return {
      plan: stored && {
        name: stored.plan.name,
        folder: stored.plan.folder,
        keep: stored.plan.keep,
        schedule: stored.plan.schedule && {
          cron: stored.plan.schedule.cron,
          every_hours: stored.plan.schedule.everyHours,
          time_zone: stored.plan.schedule.timeZone,
        },
        next_run_at: timeOrNull(stored.nextRun),
      },
      runs: (await backups.runs(limit)).map(runOnWire),
      files: stored === null ? [] : await filesOf(stored.plan),
    }
  })

  serve(router, upkeepOperations.runBackup, async () => {
    const backups = new BackupTable(db)
    if ((await backups.plan()) === null) {
      throw new ApiError(
        409,
        "No backup is declared. Add a `backup` block to the sources file, or run `fossick backup <file>`.",
      )
    }
    return runOnWire(await backups.ask("command"))
  })
}

/** The existing files of the schedule, newest first; null if the folder cannot be read from here. */
async function filesOf(plan: BackupPlan) {
  const names = await readdir(plan.folder).catch(() => null)
  if (names === null) return null
  const files = await Promise.all(
    names.map(async (name) => {
      const time = timeOfFile(plan, name)
      // The file might be deleted while it is being read.
      const found = time === null ? null : await stat(join(plan.folder, name)).catch(() => null)
      return found?.isFile() === true
        ? [{ path: join(plan.folder, name), bytes: found.size, made_at: new Date(time!).toISOString() }]
        : []
    }),
  )
  return files.flat().toSorted((a, b) => b.made_at.localeCompare(a.made_at))
}

const timeOrNull = (time: Date | null): string | null => time?.toISOString() ?? null

const runOnWire = (run: BackupRun) => ({
  id: run.id,
  trigger: run.trigger,
  state: run.state,
  asked_at: run.askedAt.toISOString(),
  started_at: timeOrNull(run.startedAt),
  ended_at: timeOrNull(run.endedAt),
  file: run.file,
  bytes: run.bytes,
  pages: run.pages,
  error: run.error,
  note: run.note,
})
