import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import type { SearchDepth } from "#engine"

import type { Sums } from "./judge.ts"
import { migrateJudged } from "./judged-store.ts"

/** Runs that are kept; the oldest go. One a day is a year and four months. */
const MOST_RUNS = 500
/** Marks of all runs together, one for each question of each: some 20 MB. The oldest runs go, but for two to compare. */
const MOST_MARKS = 400_000
const LEAST_RUNS = 2
/** A run gives a sign of life with each question; one that gave none for so long went with its process. */
const SILENT_MS = 60_000

export const RUN_STATES = ["running", "finished", "failed", "cancelled", "interrupted"] as const

/** `interrupted`: its process ended before it did. */
export type RunState = (typeof RUN_STATES)[number]

/** What was asked, and by what it was answered. */
export interface RunFacts {
  readonly depth: SearchDepth
  /** What somebody wrote to it; may be empty. */
  readonly note: string
  /** Name of the index's generation. */
  readonly generation: string
  /** Id of the model that made its vectors. */
  readonly embedder: string
  /** In the index. */
  readonly pages: number
  readonly rulesVersion: number
  /** The same for the same rules. */
  readonly rulesDigest: string
  /** To ask. */
  readonly questions: number
}

export interface JudgedRun extends RunFacts {
  readonly id: number
  readonly state: RunState
  /** Milliseconds since 1970. */
  readonly at: number
  readonly endedAt: number | null
  readonly asked: number
  /** Null unless it is finished. */
  readonly sums: Sums | null
  /** Why it failed, or what some of its questions were answered without. */
  readonly problem: string | null
}

/** How a question did in a run, and in the one to compare with. */
export interface ComparedMark {
  readonly id: string
  readonly question: string
  readonly ndcg: number
  readonly rank: number | null
  /** Null where that run did not ask it. */
  readonly before: { readonly ndcg: number; readonly rank: number | null } | null
}

/** Runs of judged questions in `state.db`. */
export class RunStore {
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrateJudged(db)
    this.#db = db
    this.#sql = prepareOnce(db)
  }

  /** @returns the id of the run; null when another one is under way */
  async begin(facts: RunFacts, now = Date.now()): Promise<number | null> {
    return await transaction(this.#db, async () => {
      const open = await this.#sql(
        "select 1 from judged_run where state = 'running' and abs(? - touched_at) < ?",
      ).get(now, SILENT_MS)
      if (open !== undefined) return null
      const row = await this.#sql(
        `insert into judged_run (state, at, touched_at, depth, note, generation, embedder, pages, rules_version,
           rules_digest, questions, asked) values ('running', ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0) returning id`,
      ).get(
        now,
        facts.depth,
        facts.note,
        facts.generation,
        facts.embedder,
        facts.pages,
        facts.rulesVersion,
        facts.rulesDigest,
        facts.questions,
      )
      return Number(row?.["id"])
    })
  }

  /** A sign of life. @returns false when nobody wants the run any more */
  async touch(id: number, asked: number, now = Date.now()): Promise<boolean> {
    const { changes } = await this.#sql(
      "update judged_run set asked = ?, touched_at = ? where id = ? and state = 'running'",
    ).run(asked, now, id)
    return Number(changes) > 0
  }

  /** Keeps the marks of a run, with what is to be known of them, and lets the oldest runs go. */
  async finish(
    id: number,
    sums: Sums,
    marks: readonly { readonly id: string; readonly ndcg: number; readonly rank: number | null }[],
    problem: string | null = null,
    now = Date.now(),
  ): Promise<void> {
    await transaction(this.#db, async () => {
      const { changes } = await this.#sql(
        `update judged_run set state = 'finished', asked = questions, problem = ?, ended_at = ?, ndcg = ?, hit1 = ?, hit3 = ?
         where id = ? and state = 'running'`,
      ).run(problem, now, sums.ndcg, sums.hit1, sums.hit3, id)
      if (Number(changes) === 0) return
      for (const one of marks) {
        await this.#sql(
          // A question may have been deleted meanwhile.
          `insert into judged_mark (question_id, run, ndcg, rank)
           select ?1, ?2, ?3, ?4 where exists (select 1 from judged_question where id = ?1)`,
        ).run(one.id, id, one.ndcg, one.rank)
      }
      await this.#makeRoom()
    })
  }

  /** Ends a run that is under way without marks. */
  async end(
    id: number,
    state: "failed" | "cancelled",
    problem: string | null = null,
    now = Date.now(),
  ): Promise<void> {
    await this.#sql(
      "update judged_run set state = ?, problem = ?, ended_at = ? where id = ? and state = 'running'",
    ).run(state, problem, now, id)
  }

  /** With its marks; one that is under way ends. @returns false when there is none of that id */
  async delete(id: number): Promise<boolean> {
    return await transaction(this.#db, () => this.#delete(id))
  }

  async get(id: number): Promise<JudgedRun | null> {
    const row = await this.#sql("select * from judged_run where id = ?").get(id)
    return row === undefined ? null : runOf(row)
  }

  /** Newest first. */
  async list({
    limit,
    offset,
  }: {
    readonly limit: number
    readonly offset: number
  }): Promise<readonly JudgedRun[]> {
    return (
      await this.#sql("select * from judged_run order by id desc limit ? offset ?").all(limit, offset)
    ).map(runOf)
  }

  async count(): Promise<number> {
    return Number((await this.#sql("select count(*) as n from judged_run").get())?.["n"])
  }

  /** The newest finished run, or the one before another one; null when there is none. */
  async before(id = Number.MAX_SAFE_INTEGER): Promise<JudgedRun | null> {
    const row = await this.#sql(
      "select * from judged_run where id < ? and state = 'finished' order by id desc limit 1",
    ).get(id)
    return row === undefined ? null : runOf(row)
  }

  /** Questions of a run beside another one, those that lost most first. */
  async compared(
    id: number,
    against: number | null,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly questions: readonly ComparedMark[]; readonly total: number }> {
    const rows = await this.#sql(
      `select question.id, question.question, mark.ndcg, mark.rank, old.ndcg as old_ndcg, old.rank as old_rank
       from judged_mark as mark join judged_question as question on question.id = mark.question_id
       left join judged_mark as old on old.question_id = mark.question_id and old.run = ?2
       where mark.run = ?1
       order by mark.ndcg - coalesce(old.ndcg, mark.ndcg), mark.ndcg, question.question, question.id limit ?3 offset ?4`,
    ).all(id, against, limit, offset)
    const total = await this.#sql("select count(*) as n from judged_mark where run = ?").get(id)
    const rank = (value: unknown) => (value === null ? null : Number(value))
    return {
      total: Number(total?.["n"]),
      questions: rows.map((row) => ({
        id: String(row["id"]),
        question: String(row["question"]),
        ndcg: Number(row["ndcg"]),
        rank: rank(row["rank"]),
        before:
          row["old_ndcg"] === null ? null : { ndcg: Number(row["old_ndcg"]), rank: rank(row["old_rank"]) },
      })),
    }
  }

  async #delete(id: number): Promise<boolean> {
    await this.#sql("delete from judged_mark where run = ?").run(id)
    return Number((await this.#sql("delete from judged_run where id = ?").run(id)).changes) > 0
  }

  async #makeRoom(): Promise<void> {
    const runs = await this.#sql("select id from judged_run order by id desc").all()
    let marks = 0
    for (const [i, row] of runs.entries()) {
      const id = Number(row["id"])
      marks += Number((await this.#sql("select count(*) as n from judged_mark where run = ?").get(id))?.["n"])
      if (i >= LEAST_RUNS && (i >= MOST_RUNS || marks > MOST_MARKS)) await this.#delete(id)
    }
  }
}

function runOf(row: Readonly<Record<string, unknown>>): JudgedRun {
  const state = row["state"] as RunState
  const isSilent = state === "running" && Math.abs(Date.now() - Number(row["touched_at"])) >= SILENT_MS
  return {
    id: Number(row["id"]),
    state: isSilent ? "interrupted" : state,
    at: Number(row["at"]),
    endedAt: row["ended_at"] === null ? null : Number(row["ended_at"]),
    depth: row["depth"] as SearchDepth,
    note: String(row["note"]),
    generation: String(row["generation"]),
    embedder: String(row["embedder"]),
    pages: Number(row["pages"]),
    rulesVersion: Number(row["rules_version"]),
    rulesDigest: String(row["rules_digest"]),
    questions: Number(row["questions"]),
    asked: Number(row["asked"]),
    sums:
      row["ndcg"] === null
        ? null
        : { ndcg: Number(row["ndcg"]), hit1: Number(row["hit1"]), hit3: Number(row["hit3"]) },
    problem: row["problem"] as string | null,
  }
}
