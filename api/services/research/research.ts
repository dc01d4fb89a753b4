import { sendEvents } from "../../server/server-sent-events.ts"
import { randomUUID } from "node:crypto"

import type { Billing } from "../../identity/accounts/billing/billing.ts"
import { researchCost } from "../../identity/accounts/billing/credits.ts"
import { type Context, type Middleware, responseTime, clientGone } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { pathParameter } from "../../server/middleware/query-parameters.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields, type Warning } from "../../server/wire/warnings.ts"
import { type ResearchBody, researchSchema, toRequest } from "./request.ts"
import type { Researchers } from "./researchers.ts"
import { EventStream, presentSource } from "./report/sse.ts"
import type { ResearchTask, ResearchTasks } from "./task-store.ts"

export interface ResearchEndpointParts {
  readonly tasks: ResearchTasks
  readonly researchers: Researchers
  readonly billing: Billing
  /** Tasks that may wait, of all keys and of one. */
  readonly queue: ResearchQueue
}

interface ResearchQueue {
  readonly all: number
  readonly ofKey: number
  /** Tasks refused since the start because too many waited. */
  refused: number
}

/** The contract's first sentence: some clients look for it. */
const NO_ROOM =
  "This request exceeds your plan's set usage limit. Research tasks fill the room that FOSSICK_RESEARCH_MB on this server " +
  "gives to one key or to all, or all that is kept of this key that of FOSSICK_KEY_STORED_MB; finished ones are deleted after FOSSICK_RESEARCH_DAYS days."

/** POST /research: a task that goes on by itself, or its events while it does. */
export function research({ tasks, researchers, billing, queue }: ResearchEndpointParts): Middleware {
  const read = bodyReader<ResearchBody>(researchSchema)
  return async (ctx) => {
    const body = read(ctx.state.body)
    const request = await toRequest(body, ctx.state.reach.names)
    const { key, tracking, bill } = ctx.state
    const waiting = await tasks.waiting(key.id)
    if (waiting.all >= queue.all || waiting.ofKey >= queue.ofKey) {
      queue.refused++
      const text = "Too many research tasks are waiting. Try again when some are done."
      throw new ApiError(429, text, {}, { "Retry-After": "30" })
    }
    const id = randomUUID()
    // Set aside until the task has ended, not until this call has.
    await billing.reserve({ requestId: id, key }, researchCost(request.model, Number.POSITIVE_INFINITY))
    const owner = { ...tracking, project: bill.project, keyId: key.id }
    const task = await tasks.add(id, owner, request, new Date())
    if (task === null) {
      await billing.release({ requestId: id, key })
      throw new ApiError(432, NO_ROOM)
    }
    const warnings = unknownFields(researchSchema, ctx.state.body)
    if (body.stream) stream(ctx, task, researchers, warnings)
    else {
      ctx.body = {
        request_id: id,
        created_at: task.createdAt.toISOString(),
        status: task.state,
        input: request.input,
        model: request.model,
        ...presentWarnings(warnings),
        response_time: responseTime(ctx),
      }
    }
    researchers.wake()
  }
}

/** The client whose streams scripts read in either way: by frames, as its toolkit does, or by lines, as its notebooks do. */
const READ_LINE_BY_LINE = "tavily-python"

/** The events of a task, from its first to its last; who hangs up ends the task. */
function stream(
  ctx: Context,
  task: ResearchTask,
  researchers: Researchers,
  warnings: readonly Warning[],
): void {
  const lineByLine = ctx.get("X-Client-Source").startsWith(READ_LINE_BY_LINE)
  const events = new EventStream(task.id, task.request.model, task.createdAt, { lineByLine, warnings })
  const unwatch = researchers.watch(task.id, (event) => events.write(event))
  clientGone(ctx).addEventListener("abort", () => {
    unwatch()
    events.body.destroy()
    researchers
      .cancel(task.id)
      .catch((err: unknown) => ctx.state.log.warn({ err }, "a task that nobody wants goes on"))
  })
  events.body.once("close", unwatch)
  sendEvents(ctx, events.body)
  ctx.flushHeaders()
}

/** GET /research/{id}: how a task stands, and its report when it is done. */
export function researchStatus(tasks: Pick<ResearchTasks, "get">): Middleware {
  return async (ctx) => {
    const task = await tasks.get(pathParameter(ctx, "id"))
    // To others it is as if there were no such task.
    if (!task || (task.owner.keyId !== ctx.state.key.id && ctx.state.key.role !== "admin")) {
      throw new ApiError(404, "Research task not found")
    }
    const withUsage = ctx.query["include_usage"] === "true"
    ctx.status = task.state === "pending" || task.state === "in_progress" ? 202 : 200
    ctx.body = { ...present(task, withUsage), response_time: responseTime(ctx) }
    return Promise.resolve()
  }
}

/** Paths by themselves, and what is known of why. */
function presentMissing(missing: ResearchTask["missing"]): object {
  const reasons = missing.flatMap(({ path, reason }) => (reason === null ? [] : [[path, reason]]))
  return {
    missing: missing.map(({ path }) => path),
    ...(reasons.length > 0 && { missing_reasons: Object.fromEntries(reasons) as object }),
  }
}

function present(task: ResearchTask, withUsage: boolean): object {
  const { id, state, createdAt, content, sources, missing, degraded, error, credits, found } = task
  switch (state) {
    case "completed":
      return {
        request_id: id,
        created_at: createdAt.toISOString(),
        status: state,
        content,
        sources: sources.map(presentSource),
        ...(missing.length > 0 && presentMissing(missing)),
        ...(degraded.length > 0 && { degraded }),
        ...(withUsage && { usage: { credits } }),
      }
    case "failed":
      return { request_id: id, status: state, error }
    default:
      return {
        request_id: id,
        status: state,
        progress: {
          searches: found?.searches ?? 0,
          sources: found?.sources.length ?? 0,
          findings: found?.findings.length ?? 0,
        },
      }
  }
}
