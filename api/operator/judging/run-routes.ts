import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"

import type { RequestState } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { parameter } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { RuleStore } from "../rules/rule-store.ts"
import { JudgedStore } from "./judged-store.ts"
import { judgedOperations as calls } from "./operations.ts"
import { factsNow, runJudged } from "./run-judged.ts"
import { type ComparedMark, type JudgedRun, RunStore } from "./run-store.ts"

/** Runs of the judged questions: `/admin/judged-runs`. */
export function judgedRunRoutes(
  router: Router<RequestState>,
  {
    db,
    engine,
    engineConfig,
  }: {
    readonly db: StateStore
    readonly engine: Engine
    readonly engineConfig: { readonly dataDir: string }
  },
): void {
  const [store, runs, rules] = [new JudgedStore(db), new RunStore(db), new RuleStore(db)]

  serve(router, calls.listJudgedRuns, async ({ query }) => ({
    runs: (await runs.list(query)).map(runOnWire),
    total: await runs.count(),
    ...query,
  }))

  serve(router, calls.startJudgedRun, async ({ body: { depth, note } }) => {
    const { dataDir } = engineConfig
    const ruled = await rules.now()
    const facts = await factsNow({ engine, rules: ruled, dataDir }, { depth, note: note.trim() })
    const questions = await store.all()
    if (questions.length === 0) throw new ApiError(409, "There are no judged questions yet.")
    const id = await runs.begin({ ...facts, questions: questions.length })
    if (id === null) throw new ApiError(409, "A run is in progress. Wait for it to end, or delete it.")
    // The run continues after this answer, and records the reason if it fails.
    runJudged(id, questions, { engine, runs, rules: ruled.rules, depth }).catch(() => {})
    return runOnWire(await known(runs, id))
  })

  serve(router, calls.getJudgedRun, async ({ ctx, path, query }) => {
    const slice = { limit: query.limit, offset: query.offset }
    // The range is checked here, because the schema sets no upper bound for the number of a run.
    const given = parameter(ctx, "against")
    if (given !== undefined && !/^[1-9]\d{0,14}$/.test(given)) {
      throw badRequest("Invalid against. Must be the number of a run.")
    }
    const run = await known(runs, idOf(path.id))
    const against = given === undefined ? await runs.before(run.id) : await known(runs, Number(given))
    const { questions, total } = await runs.compared(run.id, against?.id ?? null, slice)
    return {
      run: runOnWire(run),
      against: against && runOnWire(against),
      questions: questions.map(markOnWire),
      total,
      ...slice,
    }
  })

  serve(router, calls.deleteJudgedRun, async ({ path }) => {
    const { id } = await known(runs, idOf(path.id))
    await runs.delete(id)
    return { id, deleted: true } as const
  })
}

const idOf = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0)

async function known(runs: RunStore, id: number): Promise<JudgedRun> {
  const run = await runs.get(id)
  if (run === null) throw new ApiError(404, "There is no such run.")
  return run
}

const markOnWire = ({ id, question, ndcg, rank, before }: ComparedMark) => ({
  id,
  question,
  ndcg,
  rank,
  before,
})

export const runOnWire = (run: JudgedRun) => ({
  id: run.id,
  state: run.state,
  started_at: new Date(run.at).toISOString(),
  ended_at: run.endedAt === null ? null : new Date(run.endedAt).toISOString(),
  depth: run.depth,
  note: run.note,
  questions: run.questions,
  asked: run.asked,
  ndcg: run.sums?.ndcg ?? null,
  hit1: run.sums?.hit1 ?? null,
  hit3: run.sums?.hit3 ?? null,
  generation: run.generation,
  embedder: run.embedder,
  pages: run.pages,
  rules_version: run.rulesVersion,
  rules_digest: run.rulesDigest,
  problem: run.problem,
})
