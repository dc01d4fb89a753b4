import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"

import type { RequestState } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { parameter, sliceOf, strictBody } from "../../server/middleware/query-parameters.ts"
import { RuleStore } from "../rules/rule-store.ts"
import { runBody } from "./judged-bodies.ts"
import { JudgedStore } from "./judged-store.ts"
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
  const read = strictBody(runBody)

  router.get("/judged-runs", async (ctx) => {
    const slice = sliceOf(ctx)
    ctx.body = { runs: (await runs.list(slice)).map(runOnWire), total: await runs.count(), ...slice }
  })

  router.post("/judged-runs", async (ctx) => {
    const { depth = "basic", note = "" } = read(ctx)
    const { dataDir } = engineConfig
    const ruled = await rules.now()
    const facts = await factsNow({ engine, rules: ruled, dataDir }, { depth, note: note.trim() })
    const questions = await store.all()
    if (questions.length === 0) throw new ApiError(409, "There is no judged question yet.")
    const id = await runs.begin({ ...facts, questions: questions.length })
    if (id === null) throw new ApiError(409, "A run is under way: wait for its end, or delete it.")
    // It goes on after this answer. Why it failed stands in the run.
    runJudged(id, questions, { engine, runs, rules: ruled.rules, depth }).catch(() => {})
    ctx.status = 202
    ctx.body = runOnWire(await known(runs, id))
  })

  router.get("/judged-runs/:id", async (ctx) => {
    const slice = sliceOf(ctx)
    const given = parameter(ctx, "against")
    if (given !== undefined && !/^[1-9]\d{0,14}$/.test(given)) {
      throw badRequest("Invalid against. Must be the number of a run.")
    }
    const run = await known(runs, idOf(ctx.params["id"]!))
    const against = given === undefined ? await runs.before(run.id) : await known(runs, Number(given))
    const { questions, total } = await runs.compared(run.id, against?.id ?? null, slice)
    ctx.body = {
      run: runOnWire(run),
      against: against && runOnWire(against),
      questions: questions.map(markOnWire),
      total,
      ...slice,
    }
  })

  router.delete("/judged-runs/:id", async (ctx) => {
    const { id } = await known(runs, idOf(ctx.params["id"]!))
    await runs.delete(id)
    ctx.body = { id, deleted: true }
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
