import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"
import { type Engine, toPageUrl } from "#engine"

import { type RequestState, clientGone } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { changedRules } from "../rules/changed-rules.ts"
import { RuleStore } from "../rules/rule-store.ts"
import { type QuestionMarks, type Sums, judge, sumsOf } from "./judge.ts"
import { JudgedFileError, judgedText, parseJudged } from "./judged-file.ts"
import type { JudgedPage, JudgedQuestion, WrittenPage } from "./judged-schema.ts"
import { JudgedStore, type KeptQuestion, questionId, TooManyQuestions } from "./judged-store.ts"
import { judgedOperations as calls } from "./operations.ts"
import { runOnWire } from "./run-routes.ts"
import { RunStore } from "./run-store.ts"

/** Maximum number of runs that the history of one question shows. */
const MOST_HISTORY = 200
/** The name that error messages use for an imported text. */
const FILE = "text"

/** Judged questions, stored next to the index: `/admin/judged-questions`. */
export function judgedRoutes(
  router: Router<RequestState>,
  { db, engine }: { readonly db: StateStore; readonly engine: Engine },
): void {
  const [store, runs, rules] = [new JudgedStore(db), new RunStore(db), new RuleStore(db)]

  serve(router, calls.listJudgedQuestions, async ({ query: { question, ...slice } }) => {
    const id = question === undefined ? null : questionId(question)
    const questions = (await store.list({ ...slice, id })).map(({ latest, before, ...one }) => ({
      ...questionOnWire(one),
      latest,
      before,
    }))
    const total = id === null ? await store.count() : Number((await store.get(id)) !== null)
    return { questions, total, ...slice }
  })

  serve(router, calls.exportJudgedQuestions, async ({ ctx }) => {
    ctx.type = "application/yaml; charset=utf-8"
    ctx.attachment("judged.yaml")
    ctx.body = judgedText(await store.all())
    return undefined
  })

  serve(router, calls.createJudgedQuestion, async ({ body: { question, pages } }) => {
    const judged = () => new ApiError(409, "This question is already judged. Use PUT to change its pages.")
    if ((await store.get(questionId(question))) !== null) throw judged()
    const { added } = await put(store, { question, pages: pagesOf(pages) }, { onlyNew: true })
    if (added === 0) throw judged()
    return questionOnWire(await known(store, questionId(question)))
  })

  serve(router, calls.importJudgedQuestions, async ({ body: { text, alone } }) => ({
    ...(await put(store, parsed(text), { alone })),
    total: await store.count(),
  }))

  serve(router, calls.previewJudgedQuestions, async ({ ctx, body: { depth, most, ...changes } }) => {
    const signal = clientGone(ctx)
    const { before, after } = changedRules(await rules.list(), changes)
    const all = await store.all()
    // Ordered by digest, so that the choice of questions doesn't depend on their wording.
    const asked = all.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, most)
    const ask = async (given: typeof before) =>
      (await judge(engine, asked, { depth, rules: given, signal })).questions
    const marks = { before: await ask(before), after: await ask(after) }
    return { total: all.length, ...comparison(asked, marks) }
  })

  serve(router, calls.getJudgedQuestion, async ({ path }) => {
    const one = await known(store, path.id)
    const history = (
      await Promise.all(
        (await store.marks(one.id, MOST_HISTORY)).map(async ({ run: id, ndcg, rank }) => {
          const run = await runs.get(id)
          return run === null ? [] : [{ run: runOnWire(run), ndcg, rank }]
        }),
      )
    ).flat()
    return { ...questionOnWire(one), history }
  })

  serve(router, calls.changeJudgedQuestion, async ({ path, body: { pages } }) => {
    const { id, question } = await known(store, path.id)
    await put(store, { question, pages: pagesOf(pages) })
    return questionOnWire(await known(store, id))
  })

  serve(router, calls.deleteJudgedQuestion, async ({ path }) => {
    const { id } = await known(store, path.id)
    await store.delete(id)
    return { id, deleted: true } as const
  })
}

const questionOnWire = ({ id, question, pages, changedAt }: KeptQuestion) => ({
  id,
  question,
  pages,
  changed_at: new Date(changedAt).toISOString(),
})

async function known(store: JudgedStore, id: string): Promise<KeptQuestion> {
  const one = await store.get(id)
  if (one === null)
    throw new ApiError(404, `There is no judged question ${JSON.stringify(id.slice(0, 100))}.`)
  return one
}

/** @throws ApiError 422 naming every invalid address */
function pagesOf(written: readonly WrittenPage[]): readonly JudgedPage[] {
  const pages = written.map(({ url, grade = 1 }) => ({ url: toPageUrl(url), grade }))
  const wrong = pages.flatMap(({ url }, i) =>
    url === null ? [{ field: `pages.${i}.url`, message: "must be an http or https address" }] : [],
  )
  if (wrong.length > 0) throw unprocessable(wrong)
  return pages as readonly JudgedPage[]
}

/** @throws ApiError 422 with one line per problem */
function parsed(text: string): readonly JudgedQuestion[] {
  try {
    return parseJudged(text, FILE)
  } catch (error) {
    if (!(error instanceof JudgedFileError)) throw error
    throw unprocessable(
      error.message
        .split("\n")
        .map((line) => ({ field: FILE, message: line.replace(/^text:(\d+):\d+/, "line $1") })),
    )
  }
}

async function put(
  store: JudgedStore,
  questions: JudgedQuestion | readonly JudgedQuestion[],
  options: { readonly alone?: boolean; readonly onlyNew?: boolean } = {},
) {
  try {
    return await store.put([questions].flat(), options)
  } catch (error) {
    if (error instanceof TooManyQuestions) throw new ApiError(409, error.message)
    throw error
  }
}

const sumsOnWire = ({ ndcg, hit1, hit3 }: Sums) => ({ ndcg, hit1, hit3 })

/** The sums before and after, and the questions whose marks differ, largest losses first. */
function comparison(
  asked: readonly KeptQuestion[],
  { before, after }: { readonly before: readonly QuestionMarks[]; readonly after: readonly QuestionMarks[] },
) {
  const lines = asked.map(({ id, question }, i) => {
    const mark = ({ ndcg, rank }: QuestionMarks) => ({ ndcg, rank })
    return { id, question, before: mark(before[i]!), after: mark(after[i]!) }
  })
  const gain = (one: (typeof lines)[number]) => one.after.ndcg - one.before.ndcg
  return {
    asked: asked.length,
    before: sumsOnWire(sumsOf(before)),
    after: sumsOnWire(sumsOf(after)),
    better: lines.filter((one) => gain(one) > 0).length,
    worse: lines.filter((one) => gain(one) < 0).length,
    questions: lines
      .filter((one) => gain(one) !== 0 || one.before.rank !== one.after.rank)
      .toSorted((one, other) => gain(one) - gain(other)),
  }
}
