import type { Task, TaskKind, TaskTimes } from "../../../jobs/tasks/task.ts"
import type { BackupRun, BackupTable } from "./backup-table.ts"

/** The declared backup, if it has a schedule. */
export class BackupTasks implements TaskKind<BackupRun> {
  readonly kind = "backup"
  readonly #backups: BackupTable

  constructor(backups: BackupTable) {
    this.#backups = backups
  }

  async dueBy(time: number): Promise<Task<BackupRun>[]> {
    return (await this.#tasks()).filter(({ nextRun }) => nextRun <= time)
  }

  async dueAfter(time: number): Promise<Task<BackupRun>[]> {
    return (await this.#tasks()).filter(({ nextRun }) => nextRun > time)
  }

  async keepTimes(all: readonly TaskTimes[]): Promise<void> {
    for (const { nextRun, lastRun } of all) await this.#backups.keepTimes(nextRun, lastRun)
  }

  async #tasks(): Promise<Task<BackupRun>[]> {
    const stored = await this.#backups.plan()
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
