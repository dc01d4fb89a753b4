import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { Webhook } from "../source.ts"
import type { JobTables } from "./job-schema.ts"

// Conditions on jobs, for SQL in other folders. Call `migrateJobs` first.

/** Whether the job exists. */
export function isJob(id: Expression<number>): Expression<SqlBool> {
  const eb = expressionBuilder<JobTables>()
  return eb.exists(eb.selectFrom("job").select("job.id").where("job.id", "=", id))
}

/** Whether a webhook receiver of the job's source subscribes to an event. */
export const wantsEventSql = (event: Webhook["events"][number], id: string): string =>
  `exists (select 1 from job, json_each(job.spec, '$.webhooks') hook, json_each(hook.value, '$.events') event
           where job.id = ${id} and event.value = '${event}')`

/** A trigger that fires when a job has ended; `new.id` is its number. */
export const jobOverTrigger = (
  { trigger }: SchemaWords,
  name: string,
  condition: string,
  statement: string,
): string =>
  trigger({
    name,
    on: "update of state",
    table: "job",
    when: `new.state in ('finished', 'failed', 'cancelled') and old.state <> new.state and ${condition}`,
    does: [statement],
  })

/**
 * Whether a finished run belongs to a declared source and was judged, and was not started by hand by a person who is
 * watching it.
 */
export const isDeclaredRunSql = (row: string): string =>
  `${row}."trigger" <> 'command' and ${row}.result is not null`
