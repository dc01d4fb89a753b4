import { hasTable } from "#base/store/rows/tables.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { type Job, OPEN_STATES } from "../job.ts"
import { type Source, type SourceAuthor, sourceBy, type SourceSpec } from "../source.ts"
import type { JobTables } from "./job-schema.ts"

// What is known about sources from their runs. Some callers read a store in which no job has ever been created.

/** A run of a source, with the source as it was then. */
export interface RunOfSource {
  readonly id: number
  readonly source: Source
}

/** The latest run of each source. */
export async function latestRuns(db: StateStore): Promise<RunOfSource[]> {
  const rows = await queriesOf<JobTables>(db)
    .selectFrom("job")
    .select(["id", "spec"])
    .where("id", "in", (eb) =>
      eb
        .selectFrom("job")
        .select((of) => of.fn.max("id").as("id"))
        .groupBy("source"),
    )
    .execute()
  return rows.map((row) => ({ id: row.id, source: sourceOf(row) }))
}

/** The known runs of a source with this name. */
export interface KnownRuns extends RunOfSource {
  /** When the first and the last of the runs were requested. */
  readonly firstAt: Date
  readonly lastAt: Date
}

/** The known runs by name, each with the source as it was in the last run; only those of one name, if given. */
export async function knownRuns(db: StateStore, name: string | null): Promise<KnownRuns[]> {
  let query = queriesOf<JobTables>(db)
    .selectFrom("job")
    .innerJoin(
      (eb) =>
        eb
          .selectFrom("job")
          .select((of) => [of.fn.max("id").as("last"), of.fn.min("created_at").as("first_at")])
          .groupBy("source")
          .as("runs"),
      (join) => join.onRef("runs.last", "=", "job.id"),
    )
    .select(["job.id", "spec", "first_at", "created_at"])
    .orderBy("source")
  if (name !== null) query = query.where("source", "=", name)
  return (await query.execute()).map((row) => ({
    id: row.id,
    source: sourceOf(row),
    firstAt: new Date(row.first_at),
    lastAt: new Date(row.created_at),
  }))
}

/** The runs of a source, the latest first. */
const runsOf = (db: StateStore, name: string) =>
  queriesOf<JobTables>(db).selectFrom("job").where("source", "=", name).orderBy("id", "desc")

/** The last run of the source before this one, without runs that visited only failed addresses. */
const runBeforeThis = (db: StateStore, { id, source }: Pick<Job, "id" | "source">) =>
  runsOf(db, source.name).where("id", "<", id).where("visits", "<>", "failed").limit(1)

/** A source as it was in its last run, or null. */
export async function sourceAsRun(db: StateStore, name: string): Promise<Source | null> {
  const row = await runsOf(db, name).select("spec").limit(1).executeTakeFirst()
  return row === undefined ? null : sourceOf(row)
}

/** The source as it was in its last finished run before this one, leaving out runs started by a command for one address; or null. */
export async function declaredBefore(
  db: StateStore,
  job: Pick<Job, "id" | "source">,
): Promise<Source | null> {
  const row = await runBeforeThis(db, job)
    .select("spec")
    .where("state", "=", "finished")
    .where("trigger", "<>", "command")
    .executeTakeFirst()
  return row === undefined ? null : sourceOf(row)
}

/** The run of the source before this one, and whether it is known to have followed every link; or null. */
export async function runBefore(
  db: StateStore,
  job: Pick<Job, "id" | "source">,
): Promise<{ readonly whole: boolean; readonly source: Source } | null> {
  const row = await runBeforeThis(db, job).select(["whole", "spec"]).executeTakeFirst()
  return row === undefined ? null : { whole: row.whole === 1, source: sourceOf(row) }
}

/** Whether a run is known to have followed every link that it found. */
export async function wasWhole(db: StateStore, job: number): Promise<boolean> {
  const row = await queriesOf<JobTables>(db)
    .selectFrom("job")
    .select("whole")
    .where("id", "=", job)
    .executeTakeFirst()
  return row?.whole === 1
}

/** Records whether a run followed every link that it found. */
export async function keepWhole(db: StateStore, job: number, whole: boolean): Promise<void> {
  await queriesOf<JobTables>(db)
    .updateTable("job")
    .set({ whole: whole ? 1 : 0 })
    .where("id", "=", job)
    .execute()
}

/** Names of the sources that ever ran. */
export async function namesOfRuns(db: StateStore): Promise<string[]> {
  if (!(await hasJobs(db))) return []
  const rows = await queriesOf<JobTables>(db).selectFrom("job").select("source").distinct().execute()
  return rows.map(({ source }) => source)
}

/** Whether a source has a run that has not ended. */
export async function hasOpenRun(db: StateStore, name: string): Promise<boolean> {
  if (!(await hasJobs(db))) return false
  const open = await runsOf(db, name)
    .select("id")
    .where("state", "in", OPEN_STATES)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

const hasJobs = (db: StateStore): Promise<boolean> => hasTable(db, "job")

/** A job's recorded source with all fields, since earlier versions stored fewer. */
export const sourceOf = (row: { readonly spec: string }, author: SourceAuthor = "operator"): Source =>
  sourceBy(author, JSON.parse(row.spec) as SourceSpec)
