import type { Task, TaskKind, TaskTimes } from "../../../jobs/tasks/task.ts"
import type { BackupRun, BackupTable } from "./backup-table.ts"

/** The backup that is declared, if it has a schedule. */
export class BackupTasks implements TaskKind<BackupRun> {
  readonly kind = "backup"
  readonly #backups: BackupTable

  constructor(backups: BackupTable) {
    this.#backups = backups
  }

  dueBy(time: number): Task<BackupRun>[] {
    return this.#tasks().filter(({ nextRun }) => nextRun <= time)
  }

  dueAfter(time: number): Task<BackupRun>[] {
    return this.#tasks().filter(({ nextRun }) => nextRun > time)
  }

  keepTimes(all: readonly TaskTimes[]): void {
    for (const { nextRun, lastRun } of all) this.#backups.keepTimes(nextRun, lastRun)
  }

  #tasks(): Task<BackupRun>[] {
    const stored = this.#backups.plan()
    if (stored?.plan.schedule == null || stored.nextRun === null) return []
    return [
      {
        name: stored.plan.name,
        schedule: stored.plan.schedule,
        nextRun: stored.nextRun.getTime(),
        lastRun: stored.lastRun?.getTime() ?? null,
        unfinished: () => this.#backups.unfinished(),
        start: () => this.#backups.ask("schedule"),
        leaveOut: ({ id }, due) => this.#backups.leaveOut(id, due),
      },
    ]
  }
}
