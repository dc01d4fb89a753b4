import type { Router } from "@koa/router"

import type { Job } from "#crawler"
import { concealedAs, concealedCounts, concealedEnd } from "#crawler/fetch/concealed.ts"
import type { AddressCursor, OutcomeGroup } from "#crawler/crawl/frontier/job-addresses.ts"
import { meaningOf, OUTCOME_NAMES } from "#crawler/jobs/progress.ts"
import { entriesOf, isMeantBy, outcomeKind } from "#crawler/outcome-name.ts"
import { withoutSecrets } from "#crawler/sources/shown-source.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError, badRequest } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { ADDRESS_CURSOR, jobOperations as calls } from "../operations/jobs.ts"
import { knownSource } from "../source-filter.ts"
import { eventOnWire, jobOnWire } from "../wire.ts"

/** The runs of sources: lists, shows, pauses, resumes and cancels them. */
export function jobRoutes(router: Router<RequestState>, { db, jobs, removals }: AdminParts): void {
  const shown = async (job: Job) => jobOnWire(job, await removals.ofRun(job.id))
  const jobOf = async (id: string): Promise<Job> => {
    const job = /^\d{1,15}$/.test(id) ? await jobs.get(Number(id)) : null
    if (!job) throw new ApiError(404, `There is no job ${JSON.stringify(id.slice(0, 50))}.`)
    return job
  }

  serve(router, calls.outcomes, () => ({
    outcomes: OUTCOME_NAMES.map((outcome) => ({
      outcome,
      kind: outcomeKind(outcome),
      meaning: meaningOf(outcome),
    })),
  }))

  serve(router, calls.listJobs, async ({ query }) => {
    const { limit, offset } = query
    const source = await knownSource(query.source, db)
    const { state } = query
    const wanted = { ...(source !== undefined && { source }), ...(state && { state }) }
    return {
      jobs: await Promise.all((await jobs.list({ ...wanted, limit, offset })).map(shown)),
      total: await jobs.count(wanted),
      limit,
      offset,
    }
  })

  serve(router, calls.getJob, async ({ path, query }) => {
    const job = await jobOf(path.id)
    const { log_limit: lines, failure_limit: failures } = query
    return {
      ...(await shown(job)),
      settings: withoutSecrets(job.source),
      failures: (await jobs.failures(job.id, failures)).map(concealedEnd),
      log: (await jobs.events(job.id, lines)).map(eventOnWire),
    }
  })

  serve(router, calls.listAddressesOfJob, async ({ path, query }) => {
    const job = await jobOf(path.id)
    const { outcome: text, limit } = query
    const groups = addressGroups(job, text)
    const after = cursorOf(query.after)
    const found = await jobs.addresses(job.id, groups, { after, limit })
    const last = found.at(-1)
    return {
      addresses: found.map(concealedEnd).map(({ url, outcome, detail }) => ({ url, outcome, detail })),
      counted: groups.reduce((sum, { count }) => sum + count, 0),
      limit,
      next: last && found.length === limit ? `${last.group} ${last.url}` : null,
    }
  })

  serve(router, calls.skipHost, async ({ path, body: { host } }) => {
    const job = await jobOf(path.id)
    if (!(await jobs.skipHost(job.id, host.toLowerCase()))) {
      throw new ApiError(409, `Job ${job.id} is ${job.state} and has nothing left to visit on that host.`)
    }
    return await shown((await jobs.get(job.id)) ?? job)
  })

  for (const action of ["pause", "resume", "cancel"] as const) {
    serve(router, calls[`${action}Job`], async ({ path }) => {
      const job = await jobOf(path.id)
      if (!(await jobs[action](job.id))) {
        throw new ApiError(409, `Job ${job.id} is ${job.state}: there is nothing to ${action}.`)
      }
      return await shown((await jobs.get(job.id)) ?? job)
    })
  }
}

/** The job outcomes that the given text names, or all if there is no text, limited to those that the API reveals to callers. */
function addressGroups(job: Job, text: string | undefined): (OutcomeGroup & { readonly count: number })[] {
  return entriesOf(concealedCounts(job.outcomes))
    .filter(([name]) => text === undefined || isMeantBy(name, text))
    .map(([name, count]) => ({ name, count, outcomes: concealedAs(name) }))
}

/** The previous response's `next`. */
function cursorOf(text: string | undefined): AddressCursor | null {
  if (text === undefined) return null
  if (!new RegExp(ADDRESS_CURSOR).test(text)) {
    throw badRequest("Invalid after. Must be the `next` from an earlier answer to the same call.")
  }
  const at = text.indexOf(" ")
  return { group: text.slice(0, at), url: text.slice(at + 1) }
}
