import { createHash } from "node:crypto"

import { sql } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"

import { type JudgedPage, type JudgedQuestion, MOST_QUESTIONS } from "./judged-schema.ts"
import { runSteps, type RunTables } from "./run-steps.ts"

export interface JudgedTables extends RunTables {
  judged_question: { id: string; question: string; pages: string; changed_at: number }
}

const STEPS: readonly Step[] = [
  (words) => `create table judged_question (
     id ${words.text} primary key,
     question ${words.text} not null,
     pages ${words.text} not null,
     changed_at ${words.integer} not null
   ) ${words.keyed};
   ${runSteps(words)}`,
]

/** Brings the tables of judged questions and of their runs up to date. */
export const migrateJudged = (db: StateStore): void => migrate(db, "judged", STEPS)

/** A judged question stored next to the index. */
export interface KeptQuestion extends JudgedQuestion {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

/** A question's result in one run. */
export interface Mark {
  readonly run: number
  /** nDCG@10, 0..1. */
  readonly ndcg: number
  /** Rank of the first expected page; null if none is among the first ten results. */
  readonly rank: number | null
}

export interface ListedQuestion extends KeptQuestion {
  /** The marks from the latest run that asked the question, and from the one before that; null if there is none. */
  readonly latest: Mark | null
  readonly before: Mark | null
}

/** Thrown when there would be more questions than allowed. */
export class TooManyQuestions extends Error {
  constructor() {
    super(`There can be at most ${MOST_QUESTIONS} judged questions.`)
  }
}

/** A question's id: the same for spellings that differ only in case and white space. */
export const questionId = (question: string): string =>
  createHash("sha256").update(shownQuestion(question).toLowerCase()).digest("hex").slice(0, 12)

const shownQuestion = (question: string): string => question.replaceAll(/\s+/g, " ").trim()

/** Judged questions in `state.db`. */
export class JudgedStore {
  readonly #db: StateStore
  readonly #queries: Queries<JudgedTables>

  constructor(db: StateStore) {
    migrateJudged(db)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** All judged questions, sorted by question. */
  async all(): Promise<readonly KeptQuestion[]> {
    const all = this.#queries.selectFrom("judged_question").selectAll().orderBy("question").orderBy("id")
    return (await all.execute()).map(questionOf)
  }

  async count(): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("judged_question")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow()
    return n
  }

  /** A question by its id. @returns null for an unknown id */
  async get(id: string): Promise<KeptQuestion | null> {
    const row = await this.#queries
      .selectFrom("judged_question")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst()
    return row === undefined ? null : questionOf(row)
  }

  /** The questions with their marks, those with the worst marks in the latest run first; questions that no run asked come last. */
  async list({
    limit,
    offset,
    id = null,
  }: {
    readonly limit: number
    readonly offset: number
    /** Id of the only question to return; null for all. */
    readonly id?: string | null
  }): Promise<readonly ListedQuestion[]> {
    const rows = await this.#queries
      .selectFrom("judged_question as asked")
      .leftJoin("judged_mark as latest", (join) =>
        join
          .onRef("latest.question_id", "=", "asked.id")
          .on(
            "latest.run",
            "=",
            sql<number>`(select max(run) from judged_mark where question_id = asked.id)`,
          ),
      )
      .selectAll("asked")
      .$if(id !== null, (q) => q.where("asked.id", "=", id!))
      .orderBy(sql`latest.ndcg is null`)
      .orderBy("latest.ndcg")
      .orderBy("asked.question")
      .orderBy("asked.id")
      .limit(limit)
      .offset(offset)
      .execute()
    return await Promise.all(
      rows.map(async (row) => {
        const [latest = null, before = null] = await this.marks(row.id, 2)
        return { ...questionOf(row), latest, before }
      }),
    )
  }

  /** A question's results, newest run first. */
  async marks(id: string, limit: number): Promise<readonly Mark[]> {
    return await this.#queries
      .selectFrom("judged_mark")
      .select(["run", "ndcg", "rank"])
      .where("question_id", "=", id)
      .orderBy("run", "desc")
      .limit(limit)
      .execute()
  }

  /**
   * Adds questions; if a question already exists, replaces its pages with the given ones.
   * @param options.alone whether all other questions are deleted
   * @param options.onlyNew whether an existing question stays as it is
   * @throws TooManyQuestions
   */
  async put(
    questions: readonly JudgedQuestion[],
    { alone = false, onlyNew = false, now = Date.now() } = {},
  ): Promise<{ readonly added: number; readonly changed: number; readonly deleted: number }> {
    let [added, changed, deleted] = [0, 0, 0]
    const ids = new Set(questions.map(({ question }) => questionId(question)))
    await transaction(this.#db, async () => {
      if (alone) {
        for (const { id } of (await this.all()).filter((one) => !ids.has(one.id)))
          deleted += await this.#delete(id)
      }
      for (const { question, pages } of questions) {
        const id = questionId(question)
        const kept = await this.get(id)
        const row = { pages: JSON.stringify(pages), changed_at: now }
        if (kept !== null && (onlyNew || JSON.stringify(kept.pages) === row.pages)) continue
        if (kept === null) added++
        else changed++
        await this.#queries
          .insertInto("judged_question")
          .values({ id, question: shownQuestion(question), ...row })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
          .execute()
      }
      if ((await this.count()) > MOST_QUESTIONS) throw new TooManyQuestions()
    })
    return { added, changed, deleted }
  }

  /** Deletes a question with its marks; the sums of runs are kept. @returns false for an unknown id */
  async delete(id: string): Promise<boolean> {
    return await transaction(this.#db, async () => (await this.#delete(id)) > 0)
  }

  async #delete(id: string): Promise<number> {
    await this.#queries.deleteFrom("judged_mark").where("question_id", "=", id).execute()
    const gone = this.#queries.deleteFrom("judged_question").where("id", "=", id)
    return Number((await gone.executeTakeFirst()).numDeletedRows)
  }
}

const questionOf = (row: JudgedTables["judged_question"]): KeptQuestion => ({
  id: row.id,
  question: row.question,
  pages: JSON.parse(row.pages) as readonly JudgedPage[],
  changedAt: row.changed_at,
})
