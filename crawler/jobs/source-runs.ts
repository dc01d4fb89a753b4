import { hasTable } from "#base/store/rows/tables.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Job } from "../job.ts"
import { type Source, type SourceAuthor, sourceBy, type SourceSpec } from "../source.ts"

// What the runs of a source tell those who ask about the source. Some ask of a store that no job was made in.

/** A run of a source, with the source as it was then. */
export interface RunOfSource {
  readonly id: number
  readonly source: Source
}

/** The latest run of each source. */
export async function latestRuns(db: StateStore): Promise<RunOfSource[]> {
  return (
    await db.prepare("select id, spec from job where id in (select max(id) from job group by source)").all()
  ).map((row) => ({ id: Number(row["id"]), source: sourceOf(row) }))
}

/** The runs that are known of a name. */
export interface KnownRuns extends RunOfSource {
  /** When the first and the last of them were asked for. */
  readonly firstAt: Date
  readonly lastAt: Date
}

/** The known runs of each name with the source as it was in the last, by name; of one name alone where it is given. */
export async function knownRuns(db: StateStore, name: string | null): Promise<KnownRuns[]> {
  return (
    await db
      .prepare(
        `select job.id, spec, first_at, created_at from job
       join (select max(id) as last, min(created_at) as first_at from job group by source) as runs on runs.last = job.id
       where ?1 is null or source = ?1 order by source`,
      )
      .all(name)
  ).map((row) => ({
    id: Number(row["id"]),
    source: sourceOf(row),
    firstAt: new Date(Number(row["first_at"])),
    lastAt: new Date(Number(row["created_at"])),
  }))
}

/** A source as it was when it ran last, or null. */
export async function sourceAsRun(db: StateStore, name: string): Promise<Source | null> {
  const row = await db.prepare("select spec from job where source = ? order by id desc limit 1").get(name)
  return row === undefined ? null : sourceOf(row)
}

/** The source as it was in its last finished run before this one that its declaration asked for, or null. */
export async function declaredBefore(
  db: StateStore,
  { id, source }: Pick<Job, "id" | "source">,
): Promise<Source | null> {
  const row = await db
    .prepare(
      `select spec from job where source = ? and id < ? and state = 'finished' and "trigger" <> 'command' and visits <> 'failed'
       order by id desc limit 1`,
    )
    .get(source.name, id)
  return row === undefined ? null : sourceOf(row)
}

/** The run of the source before this one, and whether it is known to have followed every link; or null. */
export async function runBefore(
  db: StateStore,
  { id, source }: Pick<Job, "id" | "source">,
): Promise<{ readonly whole: boolean; readonly source: Source } | null> {
  const row = await db
    .prepare(
      "select whole, spec from job where source = ? and id < ? and visits <> 'failed' order by id desc limit 1",
    )
    .get(source.name, id)
  return row === undefined ? null : { whole: row["whole"] === 1, source: sourceOf(row) }
}

/** Whether a run is known to have followed every link that it met. */
export async function wasWhole(db: StateStore, job: number): Promise<boolean> {
  return (await db.prepare("select whole from job where id = ?").get(job))?.["whole"] === 1
}

/** Keeps whether a run followed every link that it met. */
export async function keepWhole(db: StateStore, job: number, whole: boolean): Promise<void> {
  await db.prepare("update job set whole = ? where id = ?").run(whole ? 1 : 0, job)
}

/** Names of the sources that ever ran. */
export async function namesOfRuns(db: StateStore): Promise<string[]> {
  if (!(await hasJobs(db))) return []
  return (await db.prepare("select distinct source from job").all()).map(({ source }) => String(source))
}

/** Whether a source has a run that is not over. */
export async function hasOpenRun(db: StateStore, name: string): Promise<boolean> {
  return (
    (await hasJobs(db)) &&
    (await db
      .prepare("select 1 from job where source = ? and state in ('queued', 'running', 'paused')")
      .get(name)) !== undefined
  )
}

const hasJobs = (db: StateStore): Promise<boolean> => hasTable(db, "job")

/** The source of a job as it was recorded, whole: an earlier version knew fewer of its fields. */
export const sourceOf = (row: Record<string, unknown>, author: SourceAuthor = "operator"): Source =>
  sourceBy(author, JSON.parse(String(row["spec"])) as SourceSpec)
