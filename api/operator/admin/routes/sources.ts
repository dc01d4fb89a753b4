import type { Router } from "@koa/router"

import { didYouMean } from "#base/text/near-names.ts"
import type { Job } from "#crawler"
import { fieldText, SourceError } from "#crawler/sources/written/source-problem.ts"
import { fullCrawlOf } from "#crawler/sources/file/plan.ts"
import { sourceStatus } from "#crawler/sources/source-status.ts"
import { type ListedSource, SourceOfFileError } from "#crawler/sources/source-table.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import { unprocessable } from "../../../server/middleware/query-parameters.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { deleteOperations, sourceOperations as calls } from "../operations/sources.ts"
import { jobOnWire, sourceOnWire } from "../wire.ts"
import { checkSource } from "./drafts/check-source.ts"

/** The sources: lists, shows, declares, deletes, runs, pauses and resumes them; one-off crawls are listed, shown and deleted. */
export function sourceRoutes(
  router: Router<RequestState>,
  { db, engine, sources, jobs, removals, crawlerConfig }: AdminParts,
): void {
  const onWire = async (entries: readonly ListedSource[]) => {
    const names = entries.map(({ source }) => source.name)
    const statuses = await sourceStatus({ db, jobs, engine }, names)
    return entries.map((entry) => sourceOnWire(entry, statuses.get(entry.source.name)!))
  }
  const undeclared = async (name: string) =>
    (await sources.getListed(name)) === null
      ? unknownSource(name)
      : new ApiError(
          409,
          `${JSON.stringify(name)} is a one-off crawl, which cannot be run or paused. Declare it first: PUT /admin/sources/${encodeURIComponent(name)}.`,
        )
  const shown = async (name: string) => {
    const entry = await sources.getListed(name)
    if (!entry) throw unknownSource(name)
    return (await onWire([entry]))[0]!
  }

  serve(router, calls.listSources, async ({ query: { limit, offset } }) => {
    const all = await sources.listAll()
    return { sources: await onWire(all.slice(offset, offset + limit)), total: all.length, limit, offset }
  })

  serve(router, calls.getSource, ({ path: { name } }) => shown(name))

  serve(router, calls.putSource, async ({ ctx, path: { name }, query: { run } }) => {
    const { name: written = name, ...fields } = ctx.state.body
    if (written !== name) throw unprocessable([{ field: "name", message: `must be ${name}, as in the path` }])
    const isNew = (await sources.get(name)) === null
    const { problems } = await checkSource({ name, ...fields }, crawlerConfig, db)
    if (problems.length > 0) throw unprocessable(problems)
    try {
      await sources.put({ name, ...fields })
    } catch (error) {
      throw sourceRefusal(error)
    }
    if (run) await sources.run(name, { trigger: "api" })
    ctx.status = isNew ? 201 : 200
    return await shown(name)
  })

  serve(router, deleteOperations.deleteSource, async ({ path: { name }, query }) => {
    const { remove_pages: removePages } = query
    try {
      if (!(await sources.delete(name, { removePages }))) throw unknownSource(name)
    } catch (error) {
      throw sourceRefusal(error)
    }
    return { name, deleted: true, remove_pages: removePages } as const
  })

  serve(router, calls.runSource, async ({ path: { name }, body: { visits } }) => {
    const job = await sources.run(name, { trigger: "api", visits })
    if (!job) throw await undeclared(name)
    return jobOnWire(job, await removals.ofRun(job.id))
  })

  serve(router, calls.runSources, async ({ body: { names, all, visits } }) => {
    if ((all === undefined) === (names === undefined))
      throw unprocessable([{ field: "names", message: "must be given, or all: true, but not both" }])
    const wanted =
      names ?? (await sources.list()).flatMap(({ source, paused }) => (paused ? [] : [source.name]))
    // Either all of the named sources run or none.
    const known = (await sources.list()).map(({ source }) => source.name)
    const unknown = wanted.findIndex((name) => !known.includes(name))
    if (unknown >= 0) {
      const name = wanted[unknown]!
      const message = `is unknown: there is no source ${JSON.stringify(name.slice(0, 200))}${didYouMean(name, known)}`
      throw unprocessable([{ field: `names[${unknown}]`, message }])
    }
    const started: Job[] = []
    for (const name of new Set(wanted)) {
      const job = await sources.run(name, { trigger: "api", visits })
      if (job !== null) started.push(job)
    }
    return {
      jobs: await Promise.all(started.map(async (job) => jobOnWire(job, await removals.ofRun(job.id)))),
    }
  })

  for (const action of ["pause", "resume"] as const) {
    serve(router, calls[`${action}Source`], async ({ path: { name } }) => {
      if (!(await sources[action](name))) throw await undeclared(name)
      return await shown(name)
    })
  }

  serve(router, calls.fullCrawl, async ({ path: { name } }) => {
    const entry = await sources.getListed(name)
    if (!entry) throw unknownSource(name)
    const { pages, areKnown, seconds, delayMs } = await fullCrawlOf(
      db,
      entry.source,
      await sources.authorOf(name),
      crawlerConfig,
    )
    return { name, pages, pages_known: areKnown, seconds, delay_ms: delayMs }
  })

  serve(router, calls.nextRuns, async ({ path: { name }, query: { count } }) => {
    const entry = await sources.getListed(name)
    if (!entry) throw unknownSource(name)
    return {
      name,
      paused: entry.paused,
      schedule: entry.source.schedule,
      next_runs: await sources.nextRuns(name, count),
    }
  })
}

export const unknownSource = (name: string): ApiError =>
  new ApiError(404, `There is no source ${JSON.stringify(name.slice(0, 200))}.`)

function sourceRefusal(error: unknown): unknown {
  if (error instanceof SourceOfFileError) return new ApiError(409, error.message)
  if (error instanceof SourceError) {
    return unprocessable(error.problems.map(({ path, message }) => ({ field: fieldText(path), message })))
  }
  return error
}
