import type { Router } from "@koa/router"

import type { DiskRoom } from "#base/disk-space.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import { clientGone, type Context, type Middleware, type RequestState, responseTime } from "../../context.ts"
import { roomOnDisk } from "../../room-on-disk.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import { pathParameter } from "../../server/middleware/query-parameters.ts"
import { sendEvents } from "../../server/server-sent-events.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields, type Warning } from "../../server/wire/warnings.ts"
import { EventStream, presentSource } from "./report/sse.ts"
import { researchSchema, toRequest } from "./request.ts"
import { type OpenedResearch, researchTask, takeResearch } from "./research.ts"
import type { Researchers } from "./researchers.ts"
import type { ResearchTask, ResearchTasks } from "./task-store.ts"

export interface ResearchNeeds {
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  /** Admits calls whose key may be in the body. */
  readonly keyAndBody: readonly Middleware[]
  /** The disk of the data folder. */
  readonly mayKeep: Pick<DiskRoom, "isLow">
}

/** The calls that start a task and show its progress. */
export function researchRoutes(
  router: Router<RequestState>,
  opened: OpenedResearch,
  { accounts, admissions, keyAndBody, mayKeep }: ResearchNeeds,
): void {
  const admit = admission(admissions, "research")
  router.post("/research", ...keyAndBody, roomOnDisk(mayKeep), admit, research(opened))
  const key = authentication(accounts.keys, { bodyKey: false }).beforeBody
  router.get("/research/:id", key, researchStatus(opened.tasks))
}

/** POST /research: begins a task in the background, or streams its events. */
function research(opened: OpenedResearch): Middleware {
  const read = bodyReader(researchSchema)
  return async (ctx) => {
    const body = read(ctx.state.body)
    const request = await toRequest(body, ctx.state.reach.names)
    const { key, tracking, bill } = ctx.state
    const task = await takeResearch(request, key, { ...tracking, project: bill.project }, opened)
    const warnings = unknownFields(researchSchema, ctx.state.body)
    if (body.stream) stream(ctx, task, opened.researchers, warnings)
    else {
      ctx.body = {
        request_id: task.id,
        created_at: task.createdAt.toISOString(),
        status: task.state,
        input: request.input,
        model: request.model,
        ...presentWarnings(warnings),
        response_time: responseTime(ctx),
      }
    }
    opened.researchers.wake()
  }
}

/** A client whose scripts read the stream either by frames, as its toolkit does, or by lines, as its notebooks do. */
const READ_LINE_BY_LINE = "tavily-python"

/** Streams the events of a task. Hanging up ends the task. */
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
      .catch((err: unknown) =>
        ctx.state.log.warn({ err }, "a task whose caller has left could not be cancelled"),
      )
  })
  events.body.once("close", unwatch)
  sendEvents(ctx, events.body)
  ctx.flushHeaders()
}

/** GET /research/{id}: a task's progress, and its report when it is done. */
function researchStatus(tasks: Pick<ResearchTasks, "get">): Middleware {
  return async (ctx) => {
    const task = await researchTask(pathParameter(ctx, "id"), ctx.state.key, tasks)
    const withUsage = ctx.query["include_usage"] === "true"
    ctx.status = task.state === "pending" || task.state === "in_progress" ? 202 : 200
    ctx.body = { ...present(task, withUsage), response_time: responseTime(ctx) }
  }
}

/** The paths of missing values, with the reasons if known. */
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
