import type { PageUrl } from "#engine"
import { replaceSql } from "#base/store/state-port.ts"
import type { StateStore } from "#base/store/state-store.ts"

/** Where the seeds of a source led the last time. */
export async function landingsOf(db: StateStore, name: string): Promise<Map<string, PageUrl>> {
  return landingMap(
    await db
      .prepare("select seed, landed from job_landing join job on job.id = job where source = ? order by job")
      .all(name),
  )
}

/** Where the seeds of a job led. */
export async function landingsIn(db: StateStore, job: number): Promise<Map<string, PageUrl>> {
  return landingMap(await db.prepare("select seed, landed from job_landing where job = ?").all(job))
}

/** Where the seeds of a source led in the latest job, up to this one, that visited each. */
export async function landingsUpTo(
  db: StateStore,
  name: string,
  job: number,
): Promise<{ readonly seed: string; readonly landed: PageUrl; readonly job: number }[]> {
  return (
    await db
      .prepare(
        `select seed, landed, job from job_landing as landing
       where job = (select max(job) from job_landing
         where seed = landing.seed and job <= ? and job in (select id from job where source = ?)) order by seed`,
      )
      .all(job, name)
  ).map((row) => ({ seed: String(row["seed"]), landed: row["landed"] as PageUrl, job: Number(row["job"]) }))
}

/** Keeps where a seed of a job led. */
export async function keepLanding(db: StateStore, job: number, seed: string, landed: PageUrl): Promise<void> {
  await db
    .prepare(replaceSql("job_landing", ["job", "seed", "landed"], ["job", "seed"]))
    .run(job, seed, landed)
}

const landingMap = (rows: readonly Record<string, unknown>[]) =>
  new Map(rows.map(({ seed, landed }) => [String(seed), landed as PageUrl]))
