import type { Router } from "@koa/router"

import type { Engine, Rule } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"

import { type RequestState, clientGone } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import type { QueryLog } from "../../services/queries/query-log.ts"
import { changedRules, readRule } from "./changed-rules.ts"
import { compareRules } from "./preview.ts"
import { MOST_PREVIEWED, ruleOperations as calls } from "./operations.ts"
import { RuleStore, TooManyRules } from "./rule-store.ts"

/** Synonyms, pins and boosts: `/admin/rules`. */
export function ruleRoutes(
  router: Router<RequestState>,
  { db, engine, queries }: { readonly db: StateStore; readonly engine: Engine; readonly queries: QueryLog },
): void {
  const store = new RuleStore(db)

  serve(router, calls.listRules, () => store.now())

  serve(router, calls.createRule, async ({ ctx }) => {
    const rule = readRule(ctx.state.body)
    if (!(await unlessTooMany(() => store.add(rule))))
      throw new ApiError(409, `There is already a rule ${rule.id}. Use PUT to change it.`)
    return { version: await store.version(), rule }
  })

  serve(router, calls.previewRules, async ({ ctx, body: { rules = [], without = [], ...asked } }) => {
    const questions = await questionsOf(asked, queries)
    const { before, after } = changedRules(await store.list(), { rules, without })
    return { questions: await compareRules(engine, questions, { before, after }, clientGone(ctx)) }
  })

  serve(router, calls.getRule, async ({ path }) => ({
    version: await store.version(),
    rule: await known(store, path.id),
  }))

  serve(router, calls.changeRule, async ({ ctx, path: { id } }) => {
    const { id: written = id } = ctx.state.body
    if (written !== id) throw unprocessable([{ field: "id", message: `must be ${id}, as in the path` }])
    const rule = readRule({ ...ctx.state.body, id })
    await unlessTooMany(() => store.put([rule]))
    return { version: await store.version(), rule }
  })

  serve(router, calls.deleteRule, async ({ path }) => {
    const { id } = await known(store, path.id)
    await store.delete(id)
    return { version: await store.version(), id, deleted: true } as const
  })
}

/**
 * The questions of a preview: those given, and the most frequent in the log. @throws ApiError 409 when the log contains
 * none
 */
async function questionsOf(
  { questions = [], logged = 0 }: { readonly questions?: readonly string[]; readonly logged?: number },
  queries: QueryLog,
): Promise<readonly string[]> {
  if (logged === 0) return questions
  if (!queries.isOn) throw new ApiError(409, "No questions are kept: logged needs FOSSICK_QUERY_LOG_DAYS.")
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
