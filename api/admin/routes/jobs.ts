import type { Router } from "@koa/router"

import type { Job } from "#crawler"
import { concealedEnd } from "#crawler/fetch/concealed.ts"
import { JOB_STATES } from "#crawler/job.ts"
import { withoutSecrets } from "#crawler/sources/shown-source.ts"

import type { Context, RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import { oneOfParameter, sliceOf, strictBody, wholeNumber } from "../../middleware/query-parameters.ts"
import { sourceParameter } from "../source-filter.ts"
import { MAX_LINES, noFields } from "../schemas.ts"
import { eventOnWire, jobOnWire } from "../wire.ts"

/** The runs of sources: list, show, pause, resume, cancel. */
export function jobRoutes(router: Router<RequestState>, { db, jobs, removals }: AdminParts): void {
  const nothing = strictBody(noFields)
  const shown = (job: Job) => jobOnWire(job, removals.ofRun(job.id))
  const jobOf = (ctx: Context & { params?: Readonly<Record<string, string>> }): Job => {
    const id = ctx.params?.["id"] ?? ""
    const job = /^\d{1,15}$/.test(id) ? jobs.get(Number(id)) : null
    if (!job) throw new ApiError(404, `There is no job ${JSON.stringify(id.slice(0, 50))}.`)
    return job
  }

  router.get("/jobs", (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const source = sourceParameter(ctx, db)
    const state = oneOfParameter(ctx, "state", JOB_STATES)
    const wanted = { ...(source !== undefined && { source }), ...(state && { state }) }
    ctx.body = {
      jobs: jobs.list({ ...wanted, limit, offset }).map(shown),
      total: jobs.count(wanted),
      limit,
      offset,
    }
  })

  router.get("/jobs/:id", (ctx) => {
    const job = jobOf(ctx)
    const lines = wholeNumber(ctx, "log_limit", 100, 0, MAX_LINES)
    const failures = wholeNumber(ctx, "failure_limit", 100, 0, MAX_LINES)
    ctx.body = {
      ...shown(job),
      settings: withoutSecrets(job.source),
      failures: jobs.failures(job.id, failures).map(concealedEnd),
      log: jobs.events(job.id, lines).map(eventOnWire),
    }
  })

  for (const action of ["pause", "resume", "cancel"] as const) {
    router.post(`/jobs/:id/${action}`, (ctx) => {
      nothing(ctx)
      const job = jobOf(ctx)
      if (!jobs[action](job.id)) {
        throw new ApiError(409, `Job ${job.id} is ${job.state}: there is nothing to ${action}.`)
      }
      ctx.status = 202
      ctx.body = shown(jobs.get(job.id) ?? job)
    })
  }
}
