import type { Router } from "@koa/router"

import type { Job } from "#crawler"
import { concealedAs, concealedCounts, concealedEnd } from "#crawler/fetch/concealed.ts"
import type { AddressCursor, OutcomeGroup } from "#crawler/crawl/frontier/job-addresses.ts"
import { JOB_STATES } from "#crawler/job.ts"
import { meaningOf, OUTCOME_NAMES, OUTCOME_WORDS } from "#crawler/jobs/progress.ts"
import { entriesOf, isMeantBy, outcomeKind } from "#crawler/outcome-name.ts"
import { withoutSecrets } from "#crawler/sources/shown-source.ts"

import type { Context, RequestState } from "../../../context.ts"
import { ApiError, badRequest } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import {
  oneOfParameter,
  parameter,
  sliceOf,
  strictBody,
  wholeNumber,
} from "../../../server/middleware/query-parameters.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/body-schema.ts"
import { sourceParameter } from "../source-filter.ts"
import { ADDRESS_CURSOR, MAX_LINES, noFields, skipHostBody } from "../schemas.ts"
import { eventOnWire, jobOnWire } from "../wire.ts"

/** The runs of sources: list, show, pause, resume, cancel. */
export function jobRoutes(router: Router<RequestState>, { db, jobs, removals }: AdminParts): void {
  const nothing = strictBody(noFields)
  const readHost = strictBody(skipHostBody)
  const shown = async (job: Job) => jobOnWire(job, await removals.ofRun(job.id))
  const jobOf = async (ctx: Context & { params?: Readonly<Record<string, string>> }): Promise<Job> => {
    const id = ctx.params?.["id"] ?? ""
    const job = /^\d{1,15}$/.test(id) ? await jobs.get(Number(id)) : null
    if (!job) throw new ApiError(404, `There is no job ${JSON.stringify(id.slice(0, 50))}.`)
    return job
  }

  router.get("/outcomes", (ctx) => {
    ctx.body = {
      outcomes: OUTCOME_NAMES.map((outcome) => ({
        outcome,
        kind: outcomeKind(outcome),
        meaning: meaningOf(outcome),
      })),
    }
  })

  router.get("/jobs", async (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const source = await sourceParameter(ctx, db)
    const state = oneOfParameter(ctx, "state", JOB_STATES)
    const wanted = { ...(source !== undefined && { source }), ...(state && { state }) }
    ctx.body = {
      jobs: await Promise.all((await jobs.list({ ...wanted, limit, offset })).map(shown)),
      total: await jobs.count(wanted),
      limit,
      offset,
    }
  })

  router.get("/jobs/:id", async (ctx) => {
    const job = await jobOf(ctx)
    const lines = wholeNumber(ctx, "log_limit", 100, 0, MAX_LINES)
    const failures = wholeNumber(ctx, "failure_limit", 100, 0, MAX_LINES)
    ctx.body = {
      ...(await shown(job)),
      settings: withoutSecrets(job.source),
      failures: (await jobs.failures(job.id, failures)).map(concealedEnd),
      log: (await jobs.events(job.id, lines)).map(eventOnWire),
    }
  })

  router.get("/jobs/:id/addresses", async (ctx) => {
    const job = await jobOf(ctx)
    const text = oneOfParameter(ctx, "outcome", OUTCOME_WORDS)
    const limit = wholeNumber(ctx, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    const groups = addressGroups(job, text)
    const after = cursorOf(parameter(ctx, "after"))
    const found = await jobs.addresses(job.id, groups, { after, limit })
    const last = found.at(-1)
    ctx.body = {
      addresses: found.map(concealedEnd).map(({ url, outcome, detail }) => ({ url, outcome, detail })),
      counted: groups.reduce((sum, { count }) => sum + count, 0),
      limit,
      next: last && found.length === limit ? `${last.group} ${last.url}` : null,
    }
  })

  router.post("/jobs/:id/skip-host", async (ctx) => {
    const { host } = readHost(ctx)
    const job = await jobOf(ctx)
    if (!(await jobs.skipHost(job.id, host.toLowerCase()))) {
      throw new ApiError(409, `Job ${job.id} is ${job.state} and has nothing to visit on that host.`)
    }
    ctx.status = 202
    ctx.body = await shown((await jobs.get(job.id)) ?? job)
  })

  for (const action of ["pause", "resume", "cancel"] as const) {
    router.post(`/jobs/:id/${action}`, async (ctx) => {
      nothing(ctx)
      const job = await jobOf(ctx)
      if (!(await jobs[action](job.id))) {
        throw new ApiError(409, `Job ${job.id} is ${job.state}: there is nothing to ${action}.`)
      }
      ctx.status = 202
      ctx.body = await shown((await jobs.get(job.id)) ?? job)
    })
  }
}

/** The outcomes of a job that a text means, all without one, as callers of the API may know them. */
function addressGroups(job: Job, text: string | undefined): (OutcomeGroup & { readonly count: number })[] {
  return entriesOf(concealedCounts(job.outcomes))
    .filter(([name]) => text === undefined || isMeantBy(name, text))
    .map(([name, count]) => ({ name, count, outcomes: concealedAs(name) }))
}

/** `next` of the answer before. */
function cursorOf(text: string | undefined): AddressCursor | null {
  if (text === undefined) return null
  if (!new RegExp(ADDRESS_CURSOR).test(text)) {
    throw badRequest("Invalid after. Must be `next` of an answer to the same call.")
  }
  const at = text.indexOf(" ")
  return { group: text.slice(0, at), url: text.slice(at + 1) }
}
