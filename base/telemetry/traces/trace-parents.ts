import { queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

import { isTracing, traceparent } from "./tracing.ts"

/** Number of runs whose callers are remembered; older ones have ended. */
const MOST_RUNS = 1000

interface TraceTables {
  trace_parent: { job: number; traceparent: string }
}

const STEPS: readonly Step[] = [
  ({ id, text, strict }) =>
    `create table if not exists trace_parent (job ${id}, traceparent ${text} not null) ${strict}`,
]

/** Call this before {@link noteTraceOf} and {@link traceOf}; the former runs in a transaction, where no table can be created. */
export const migrateTraces = (db: StateStore): void => migrate(db, "traces", STEPS)

/**
 * Remembers which call asked for a run, so that the process that runs it continues the call's trace. Remembers nothing when
 * tracing is off.
 */
export async function noteTraceOf(db: StateStore, job: number): Promise<void> {
  const parent = traceparent()
  if (parent === undefined) return
  const queries = queriesOf<TraceTables>(db)
  await queries
    .insertInto("trace_parent")
    .values({ job, traceparent: parent })
    .onConflict((conflict) => conflict.column("job").doUpdateSet({ traceparent: parent }))
    .execute()
  await queries
    .deleteFrom("trace_parent")
    .where("job", "<=", job - MOST_RUNS)
    .execute()
}

/** The trace context recorded by {@link noteTraceOf}. */
export async function traceOf(db: StateStore, job: number): Promise<string | undefined> {
  if (!isTracing()) return undefined
  const row = await queriesOf<TraceTables>(db)
    .selectFrom("trace_parent")
    .select("traceparent")
    .where("job", "=", job)
    .executeTakeFirst()
  return row?.traceparent
}
