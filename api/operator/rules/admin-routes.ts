import type { Router } from "@koa/router"

import type { Engine, Rule } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"

import { type RequestState, clientGone } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { strictBody, unprocessable } from "../../server/middleware/query-parameters.ts"
import type { QueryLog } from "../../services/queries/query-log.ts"
import { changedRules, readRule } from "./changed-rules.ts"
import { compareRules } from "./preview.ts"
import { MOST_PREVIEWED, type PreviewBody, previewBody } from "./preview-schema.ts"
import { RuleStore, TooManyRules } from "./rule-store.ts"

/** Synonyms, pins and boosts: `/admin/rules`. */
export function ruleRoutes(
  router: Router<RequestState>,
  { db, engine, queries }: { readonly db: StateStore; readonly engine: Engine; readonly queries: QueryLog },
): void {
  const store = new RuleStore(db)
  const readPreview = strictBody<PreviewBody>(previewBody)

  router.get("/rules", async (ctx) => {
    ctx.body = await store.now()
  })

  router.post("/rules", async (ctx) => {
    const rule = readRule(ctx.state.body)
    if (!(await unlessTooMany(() => store.add(rule))))
      throw new ApiError(409, `There is a rule ${rule.id} already; PUT changes it.`)
    ctx.status = 201
    ctx.body = { version: await store.version(), rule }
  })

  router.post("/rules/preview", async (ctx) => {
    const { rules = [], without = [], ...asked } = readPreview(ctx)
    const questions = await questionsOf(asked, queries)
    const { before, after } = changedRules(await store.list(), { rules, without })
    ctx.body = { questions: await compareRules(engine, questions, { before, after }, clientGone(ctx)) }
  })

  router.get("/rules/:id", async (ctx) => {
    ctx.body = { version: await store.version(), rule: await known(store, ctx.params["id"]!) }
  })

  router.put("/rules/:id", async (ctx) => {
    const id = ctx.params["id"]!
    const { id: written = id } = ctx.state.body
    if (written !== id) throw unprocessable([{ field: "id", message: `must be ${id}, as in the path` }])
    const rule = readRule({ ...ctx.state.body, id })
    await unlessTooMany(() => store.put([rule]))
    ctx.body = { version: await store.version(), rule }
  })

  router.delete("/rules/:id", async (ctx) => {
    const { id } = await known(store, ctx.params["id"]!)
    await store.delete(id)
    ctx.body = { version: await store.version(), id, deleted: true }
  })
}

/** What a preview asks: questions that are named, and those of the log that were asked most. @throws ApiError 409 when none is kept */
async function questionsOf(
  { questions = [], logged = 0 }: Pick<PreviewBody, "questions" | "logged">,
  queries: QueryLog,
): Promise<readonly string[]> {
  if (logged === 0) return questions
  if (!queries.isOn) throw new ApiError(409, "No question is kept: logged needs FOSSICK_QUERY_LOG_DAYS.")
  const before = Date.now() + 1
  const top = (await queries.report("top", { from: 0, before, limit: logged, offset: 0 })).queries
  return [...new Set([...questions, ...top.map(({ question }) => question)])].slice(0, MOST_PREVIEWED)
}

async function unlessTooMany<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof TooManyRules) throw new ApiError(409, error.message)
    throw error
  }
}

async function known(store: RuleStore, id: string): Promise<Rule> {
  const rule = await store.get(id)
  if (rule === null) throw new ApiError(404, `There is no rule ${JSON.stringify(id.slice(0, 100))}.`)
  return rule
}
