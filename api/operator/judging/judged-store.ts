import { createHash } from "node:crypto"

import { replaceSql } from "#base/store/state-port.ts"
import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"

import { type JudgedPage, type JudgedQuestion, MOST_QUESTIONS } from "./judged-schema.ts"
import { RUN_STEPS } from "./run-steps.ts"

const STEPS = [
  `create table judged_question (
     id text primary key,
     question text not null,
     pages text not null,
     changed_at integer not null
   ) strict, without rowid;
   ${RUN_STEPS}`,
]

/** Brings the tables of judged questions and of their runs up to date. */
export const migrateJudged = (db: StateStore): void => migrate(db, "judged", STEPS)

/** A judged question that is kept beside the index. */
export interface KeptQuestion extends JudgedQuestion {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

/** How a question did in one run. */
export interface Mark {
  readonly run: number
  /** nDCG@10, 0..1. */
  readonly ndcg: number
  /** Of the first expected page among the first ten; null: none is. */
  readonly rank: number | null
}

export interface ListedQuestion extends KeptQuestion {
  /** Of the latest run that asked it, and of the one before; null where there is none. */
  readonly latest: Mark | null
  readonly before: Mark | null
}

/** There would be more questions than there may be. */
export class TooManyQuestions extends Error {
  constructor() {
    super(`There may be ${MOST_QUESTIONS} judged questions at most.`)
  }
}

/** What a question is called: the same for each spelling that differs in case and white space alone. */
export const questionId = (question: string): string =>
  createHash("sha256").update(shownQuestion(question).toLowerCase()).digest("hex").slice(0, 12)

const shownQuestion = (question: string): string => question.replaceAll(/\s+/g, " ").trim()

/** Judged questions in `state.db`. */
export class JudgedStore {
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrateJudged(db)
    this.#db = db
    this.#sql = prepareOnce(db)
  }

  /** All, by question. */
  async all(): Promise<readonly KeptQuestion[]> {
    return (await this.#sql("select * from judged_question order by question, id").all()).map(questionOf)
  }

  async count(): Promise<number> {
    return Number((await this.#sql("select count(*) as n from judged_question").get())?.["n"])
  }

  /** @returns null when there is none of that id */
  async get(id: string): Promise<KeptQuestion | null> {
    const row = await this.#sql("select * from judged_question where id = ?").get(id)
    return row === undefined ? null : questionOf(row)
  }

  /** With how they did, the worst of the latest run first; those that no run asked come last. */
  async list({
    limit,
    offset,
    id = null,
  }: {
    readonly limit: number
    readonly offset: number
    /** This one alone; null: all. */
    readonly id?: string | null
  }): Promise<readonly ListedQuestion[]> {
    return await Promise.all(
      (
        await this.#sql(
          `select question.*, latest.ndcg as ndcg from judged_question as question
       left join judged_mark as latest on latest.question_id = question.id and latest.run =
         (select max(run) from judged_mark where question_id = question.id)
       where ?1 is null or question.id = ?1
       order by ndcg is null, ndcg, question, question.id limit ?2 offset ?3`,
        ).all(id, limit, offset)
      ).map(async (row) => {
        const [latest = null, before = null] = await this.marks(String(row["id"]), 2)
        return { ...questionOf(row), latest, before }
      }),
    )
  }

  /** How a question did, the newest run first. */
  async marks(id: string, limit: number): Promise<readonly Mark[]> {
    return (
      await this.#sql(
        "select run, ndcg, rank from judged_mark where question_id = ? order by run desc limit ?",
      ).all(id, limit)
    ).map((row) => ({
      run: Number(row["run"]),
      ndcg: Number(row["ndcg"]),
      rank: row["rank"] === null ? null : Number(row["rank"]),
    }))
  }

  /**
   * Adds questions; one that is there gets the pages that are given.
   * @param options.alone whether all other questions are deleted
   * @param options.onlyNew whether a question that is kept already stays as it is
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
        const text = JSON.stringify(pages)
        if (kept !== null && (onlyNew || JSON.stringify(kept.pages) === text)) continue
        if (kept === null) added++
        else changed++
        await this.#sql(replaceSql("judged_question", ["id", "question", "pages", "changed_at"], ["id"])).run(
          id,
          kept?.question ?? shownQuestion(question),
          text,
          now,
        )
      }
      if ((await this.count()) > MOST_QUESTIONS) throw new TooManyQuestions()
    })
    return { added, changed, deleted }
  }

  /** With its marks; the sums of runs stay. @returns false when there is none of that id */
  async delete(id: string): Promise<boolean> {
    return await transaction(this.#db, async () => (await this.#delete(id)) > 0)
  }

  async #delete(id: string): Promise<number> {
    await this.#sql("delete from judged_mark where question_id = ?").run(id)
    return Number((await this.#sql("delete from judged_question where id = ?").run(id)).changes)
  }
}

const questionOf = (row: Readonly<Record<string, unknown>>): KeptQuestion => ({
  id: String(row["id"]),
  question: String(row["question"]),
  pages: JSON.parse(String(row["pages"])) as readonly JudgedPage[],
  changedAt: Number(row["changed_at"]),
})
