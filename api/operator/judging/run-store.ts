import { type Selectable, sql, type UpdateObject } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import type { SearchDepth } from "#engine"

import type { Sums } from "./judge.ts"
import { type JudgedTables, migrateJudged } from "./judged-store.ts"
import type { RunState } from "./run-steps.ts"

/** Maximum number of stored runs; beyond that, the oldest are deleted. At one run a day, this covers a year and four months. */
const MOST_RUNS = 500
/** Maximum number of marks in all runs together, one per question and run: about 20 MB. Beyond that, the oldest runs are deleted, but at least two are kept for comparison. */
const MOST_MARKS = 400_000
const LEAST_RUNS = 2
/** Milliseconds without a heartbeat after which a run's process counts as ended; a run sends a heartbeat with each question. */
const SILENT_MS = 60_000

/** Facts about a run: its note, and the setup that answered the questions. */
export interface RunFacts {
  readonly depth: SearchDepth
  /** The user's note; may be empty. */
  readonly note: string
  /** Name of the index's generation. */
  readonly generation: string
  /** Id of the model that computed the index's vectors. */
  readonly embedder: string
  /** Number of pages in the index. */
  readonly pages: number
  readonly rulesVersion: number
  /** Digest of the rules; the same rules always have the same digest. */
  readonly rulesDigest: string
  /** Number of questions to ask. */
  readonly questions: number
}

export interface JudgedRun extends RunFacts {
  readonly id: number
  readonly state: RunState
  /** Milliseconds since 1970. */
  readonly at: number
  readonly endedAt: number | null
  readonly asked: number
  /** The means; null unless the run is finished. */
  readonly sums: Sums | null
  /** Why the run failed, or which parts were missing from the answers to some of its questions. */
  readonly problem: string | null
}

/** A question's result in a run, and in the run to compare with. */
export interface ComparedMark {
  readonly id: string
  readonly question: string
  readonly ndcg: number
  readonly rank: number | null
  /** The result in the other run; null if that run did not ask the question. */
  readonly before: { readonly ndcg: number; readonly rank: number | null } | null
}

/** Runs of judged questions in `state.db`. */
export class RunStore {
  readonly #db: StateStore
  readonly #queries: Queries<JudgedTables>

  constructor(db: StateStore) {
    migrateJudged(db)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** Begins a run. @returns the id of the run; null if another one is in progress */
  async begin(facts: RunFacts, now = Date.now()): Promise<number | null> {
    return await transaction(this.#db, async () => {
      const open = await this.#queries
        .selectFrom("judged_run")
        .select("id")
        .where("state", "=", "running")
        .where("touched_at", ">", now - SILENT_MS)
        .where("touched_at", "<", now + SILENT_MS)
        .executeTakeFirst()
      if (open !== undefined) return null
      const { id } = await this.#queries
        .insertInto("judged_run")
        .values({
          depth: facts.depth,
          note: facts.note,
          generation: facts.generation,
          embedder: facts.embedder,
          pages: facts.pages,
          questions: facts.questions,
          rules_version: facts.rulesVersion,
          rules_digest: facts.rulesDigest,
          state: "running",
          at: now,
          touched_at: now,
          asked: 0,
        })
        .returning("id")
        .executeTakeFirstOrThrow()
      return id
    })
  }

  /** Records a heartbeat. @returns false if the run was cancelled */
  async touch(id: number, asked: number, now = Date.now()): Promise<boolean> {
    return await this.#update(id, { asked, touched_at: now })
  }

  /** Changes a run in progress. @returns whether the run was in progress */
  async #update(id: number, values: UpdateObject<JudgedTables, "judged_run">): Promise<boolean> {
    const { numUpdatedRows } = await this.#queries
      .updateTable("judged_run")
      .set(values)
      .where("id", "=", id)
      .where("state", "=", "running")
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Stores the marks of a run and the sums, and deletes the oldest runs. */
  async finish(
    id: number,
    sums: Sums,
    marks: readonly { readonly id: string; readonly ndcg: number; readonly rank: number | null }[],
    problem: string | null = null,
    now = Date.now(),
  ): Promise<void> {
    await transaction(this.#db, async () => {
      const { ndcg, hit1, hit3 } = sums
      const asked = sql<number>`questions`
      if (!(await this.#update(id, { state: "finished", asked, problem, ended_at: now, ndcg, hit1, hit3 })))
        return
      // A question might have been deleted in the meantime.
      const rows = await this.#queries.selectFrom("judged_question").select("id").execute()
      const kept = new Set(rows.map((row) => row.id))
      for (const { id: question, ...mark } of marks) {
        if (!kept.has(question)) continue
        await this.#queries
          .insertInto("judged_mark")
          .values({ question_id: question, run: id, ndcg: mark.ndcg, rank: mark.rank })
          .execute()
      }
      await this.#makeRoom()
    })
  }

  /** Ends a run in progress without storing marks. */
  async end(
    id: number,
    state: "failed" | "cancelled",
    problem: string | null = null,
    now = Date.now(),
  ): Promise<void> {
    await this.#update(id, { state, problem, ended_at: now })
  }

  /** Deletes a run with its marks; a run in progress is ended. @returns false for an unknown id */
  async delete(id: number): Promise<boolean> {
    return await transaction(this.#db, () => this.#delete(id))
  }

  async get(id: number): Promise<JudgedRun | null> {
    const row = await this.#runs().where("id", "=", id).executeTakeFirst()
    return row === undefined ? null : runOf(row)
  }

  /** The stored runs, newest first. */
  async list({
    limit,
    offset,
  }: {
    readonly limit: number
    readonly offset: number
  }): Promise<readonly JudgedRun[]> {
    return (await this.#runs().limit(limit).offset(offset).execute()).map(runOf)
  }

  async count(): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("judged_run")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow()
    return n
  }

  /** The newest finished run, or the one before a given run; null when there is none. */
  async before(id = Number.MAX_SAFE_INTEGER): Promise<JudgedRun | null> {
    const earlier = this.#runs().where("id", "<", id).where("state", "=", "finished").limit(1)
    const row = await earlier.executeTakeFirst()
    return row === undefined ? null : runOf(row)
  }

  /** The stored runs, newest first. */
  #runs() {
    return this.#queries.selectFrom("judged_run").selectAll().orderBy("id", "desc")
  }

  /** Questions of a run compared with another run, largest losses first. */
  async compared(
    id: number,
    against: number | null,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly questions: readonly ComparedMark[]; readonly total: number }> {
    const rows = await this.#queries
      .selectFrom("judged_mark as mark")
      .innerJoin("judged_question as asked", "asked.id", "mark.question_id")
      .leftJoin("judged_mark as old", (join) =>
        join.onRef("old.question_id", "=", "mark.question_id").on("old.run", "=", against),
      )
      .select([
        "asked.id",
        "asked.question",
        "mark.ndcg",
        "mark.rank",
        "old.ndcg as oldNdcg",
        "old.rank as oldRank",
      ])
      .where("mark.run", "=", id)
      .orderBy(sql`mark.ndcg - coalesce(old.ndcg, mark.ndcg)`)
      .orderBy("mark.ndcg")
      .orderBy("asked.question")
      .orderBy("asked.id")
      .limit(limit)
      .offset(offset)
      .execute()
    return {
      total: await this.#marksOf(id),
      questions: rows.map(({ oldNdcg, oldRank, ...row }) => ({
        ...row,
        before: oldNdcg === null ? null : { ndcg: oldNdcg, rank: oldRank },
      })),
    }
  }

  async #marksOf(run: number): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("judged_mark")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where("run", "=", run)
      .executeTakeFirstOrThrow()
    return n
  }

  async #delete(id: number): Promise<boolean> {
    await this.#queries.deleteFrom("judged_mark").where("run", "=", id).execute()
    const gone = this.#queries.deleteFrom("judged_run").where("id", "=", id)
    return (await gone.executeTakeFirst()).numDeletedRows > 0n
  }

  async #makeRoom(): Promise<void> {
    const runs = await this.#queries.selectFrom("judged_run").select("id").orderBy("id", "desc").execute()
    let marks = 0
    for (const [i, { id }] of runs.entries()) {
      marks += await this.#marksOf(id)
      if (i >= LEAST_RUNS && (i >= MOST_RUNS || marks > MOST_MARKS)) await this.#delete(id)
    }
  }
}

function runOf(row: Selectable<JudgedTables["judged_run"]>): JudgedRun {
  const { ndcg, hit1, hit3 } = row
  const isSilent = row.state === "running" && Math.abs(Date.now() - row.touched_at) >= SILENT_MS
  return {
    id: row.id,
    state: isSilent ? "interrupted" : row.state,
    at: row.at,
    endedAt: row.ended_at,
    depth: row.depth,
    note: row.note,
    generation: row.generation,
    embedder: row.embedder,
    pages: row.pages,
    rulesVersion: row.rules_version,
    rulesDigest: row.rules_digest,
    questions: row.questions,
    asked: row.asked,
    sums: ndcg === null || hit1 === null || hit3 === null ? null : { ndcg, hit1, hit3 },
    problem: row.problem,
  }
}
