import type { PageUrl } from "#engine"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { JobTables } from "./job-schema.ts"

/** The addresses to which a source's seeds were redirected last time. */
export async function landingsOf(db: StateStore, name: string): Promise<Map<string, PageUrl>> {
  const rows = await queriesOf<JobTables>(db)
    .selectFrom("job_landing")
    .innerJoin("job", "job.id", "job_landing.job")
    .select(["seed", "landed"])
    .where("source", "=", name)
    .orderBy("job_landing.job")
    .execute()
  return landingMap(rows)
}

/** The addresses to which the seeds of a job were redirected. */
export async function landingsIn(db: StateStore, job: number): Promise<Map<string, PageUrl>> {
  const rows = await queriesOf<JobTables>(db)
    .selectFrom("job_landing")
    .select(["seed", "landed"])
    .where("job", "=", job)
    .execute()
  return landingMap(rows)
}

/** The address to which each seed of a source was redirected in the latest job, up to this one, that visited it. */
export async function landingsUpTo(
  db: StateStore,
  name: string,
  job: number,
): Promise<{ readonly seed: string; readonly landed: PageUrl; readonly job: number }[]> {
  return await queriesOf<JobTables>(db)
    .selectFrom("job_landing as landing")
    .select(["seed", "landed", "job"])
    .where("job", "=", (eb) =>
      eb
        .selectFrom("job_landing as other")
        .select((of) => of.fn.max("other.job").as("job"))
        .whereRef("other.seed", "=", "landing.seed")
        .where("other.job", "<=", job)
        .where("other.job", "in", eb.selectFrom("job").select("id").where("source", "=", name)),
    )
    .orderBy("seed")
    .execute()
}

/** Stores the address to which a seed of a job was redirected. */
export async function keepLanding(db: StateStore, job: number, seed: string, landed: PageUrl): Promise<void> {
  await queriesOf<JobTables>(db)
    .insertInto("job_landing")
    .values({ job, seed, landed })
    .onConflict((conflict) => conflict.columns(["job", "seed"]).doUpdateSet({ landed }))
    .execute()
}

const landingMap = (rows: readonly { readonly seed: string; readonly landed: PageUrl }[]) =>
  new Map(rows.map(({ seed, landed }) => [seed, landed]))
