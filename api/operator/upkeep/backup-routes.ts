import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

import type { Router } from "@koa/router"

import { type BackupPlan, timeOfFile } from "#crawler/backup-plan.ts"
import { type BackupRun, BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { strictBody, wholeNumber } from "../../server/middleware/query-parameters.ts"
import { DEFAULT_LIMIT } from "../../server/wire/body-schema.ts"
import { runBackupBody } from "./schemas.ts"

/** Runs that are remembered: {@link BackupTable}. */
const MOST_RUNS = 100

/** Backups by the plan: `/admin/backups`. */
export function backupRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const nothing = strictBody(runBackupBody)

  router.get("/backups", async (ctx) => {
    const limit = wholeNumber(ctx, "limit", DEFAULT_LIMIT, 1, MOST_RUNS)
    const backups = new BackupTable(db)
    const stored = await backups.plan()
    ctx.body = {
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

  router.post("/backups/run", async (ctx) => {
    nothing(ctx)
    const backups = new BackupTable(db)
    if ((await backups.plan()) === null) {
      throw new ApiError(
        409,
        "No backup is declared. Write a block `backup` into the file of sources, or run `fossick backup <file>`.",
      )
    }
    ctx.status = 202
    ctx.body = runOnWire(await backups.ask("command"))
  })
}

/** The plan's files that are there, newest first; null where the folder cannot be read from here. */
async function filesOf(plan: BackupPlan) {
  const names = await readdir(plan.folder).catch(() => null)
  if (names === null) return null
  const files = await Promise.all(
    names.map(async (name) => {
      const time = timeOfFile(plan, name)
      // It may go while it is looked at.
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
