import type { Generated } from "kysely"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { SearchDepth } from "#engine"

export const RUN_STATES = ["running", "finished", "failed", "cancelled", "interrupted"] as const

/** State of a run; `interrupted` means that its process ended before the run did. */
export type RunState = (typeof RUN_STATES)[number]

export interface RunTables {
  judged_run: {
    id: Generated<number>
    state: RunState
    at: number
    touched_at: number
    ended_at: Generated<number | null>
    depth: SearchDepth
    note: string
    generation: string
    embedder: string
    pages: number
    rules_version: number
    rules_digest: string
    questions: number
    asked: number
    ndcg: Generated<number | null>
    hit1: Generated<number | null>
    hit3: Generated<number | null>
    problem: Generated<string | null>
  }
  judged_mark: { question_id: string; run: number; ndcg: number; rank: number | null }
}

/** The tables for runs, as a migration step of the tables for judged questions. */
export const runSteps = ({
  lastingId,
  text,
  integer,
  real,
  strict,
  keyed,
}: SchemaWords): string => `create table judged_run (
     id ${lastingId},
     state ${text} not null,
     at ${integer} not null,
     touched_at ${integer} not null,
     ended_at ${integer},
     depth ${text} not null,
     note ${text} not null,
     generation ${text} not null,
     embedder ${text} not null,
     pages ${integer} not null,
     rules_version ${integer} not null,
     rules_digest ${text} not null,
     questions ${integer} not null,
     asked ${integer} not null,
     ndcg ${real},
     hit1 ${real},
     hit3 ${real},
     problem ${text}
   ) ${strict};
   create table judged_mark (
     question_id ${text} not null,
     run ${integer} not null,
     ndcg ${real} not null,
     rank ${integer},
     primary key (question_id, run)
   ) ${keyed};
   create index judged_mark_by_run on judged_mark (run)`
