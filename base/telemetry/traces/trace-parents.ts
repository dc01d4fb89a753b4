import { migrate, type StateStore } from "#base/store/state-store.ts"
import { replaceSql } from "#base/store/state-port.ts"

import { isTracing, traceparent } from "./tracing.ts"

/** Runs whose callers are remembered; older ones are over. */
const MOST_RUNS = 1000

const STEPS = [
  "create table if not exists trace_parent (job integer primary key, traceparent text not null) strict",
]

/** Remembers which call asked for a run, so that the process that runs it goes on with its trace. Nothing where none is made. */
export async function noteTraceOf(db: StateStore, job: number): Promise<void> {
  const parent = traceparent()
  if (parent === undefined) return
  await db.exec(STEPS[0]!)
  await db.prepare(replaceSql("trace_parent", ["job", "traceparent"], ["job"])).run(job, parent)
  await db.prepare("delete from trace_parent where job <= ?").run(job - MOST_RUNS)
}

/** What {@link noteTraceOf} noted. */
export async function traceOf(db: StateStore, job: number): Promise<string | undefined> {
  if (!isTracing()) return undefined
  migrate(db, "traces", STEPS)
  const row = await db.prepare("select traceparent from trace_parent where job = ?").get(job)
  return row === undefined ? undefined : String(row["traceparent"])
}
