import type { Router } from "@koa/router"

import { didYouMean } from "#base/text/near-names.ts"
import { environment } from "#base/settings.ts"
import { secretsNamed } from "#crawler/fetch/secrets.ts"
import { AllowedNetworks, isPrivateByName } from "#crawler/fetch/guard/allowed-networks.ts"
import type { SourceSpec } from "#crawler/source.ts"
import { readSourceSpec } from "#crawler/sources/source-spec.ts"
import { fieldText, SourceError } from "#crawler/sources/written/source-problem.ts"
import { workProblems } from "#crawler/sources/written/surroundings.ts"
import { fullCrawlOf } from "#crawler/sources/file/plan.ts"
import { sourceStatus } from "#crawler/sources/source-status.ts"
import { type SourceEntry, SourceOfFileError } from "#crawler/sources/source-table.ts"

import type { Context, RequestState } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import {
  flagParameter,
  sliceOf,
  strictBody,
  unprocessable,
  wholeNumber,
} from "../../middleware/query-parameters.ts"
import { MAX_NEXT_RUNS, noFields, runBody, runSeveralBody } from "../schemas.ts"
import { jobOnWire, sourceOnWire } from "../wire.ts"

/**
 * Whoever has an admin key chooses where a source sends its secrets; so it may name those only that the operator of the
 * machine has opened to the API, and no file: else the key would read the whole machine.
 */
function refuseSecrets(fields: Record<string, unknown>, open: readonly string[]): void {
  const { login, webhooks, clientCert, caFile } = fields
  if (caFile !== undefined && caFile !== null) {
    const message =
      "may not name a file over the API; FOSSICK_CA_FILE trusts an authority everywhere, or declare the source in the file of sources"
    throw unprocessable([{ field: "caFile", message }])
  }
  const refused = secretsNamed({ login, webhooks, clientCert }).filter(
    ({ from }) => !open.some((name) => from === `\${${name}}`),
  )
  if (refused.length === 0) return
  throw unprocessable(
    refused.map(({ path, from }) => ({
      field: path.join("."),
      message:
        from === "file:"
          ? "may not name a file over the API; declare the source in the file of sources"
          : `may not use ${from} over the API; FOSSICK_API_SECRETS can allow it`,
    })),
  )
}

/**
 * An admin key is no key to the network: private addresses are for the operator of the machine to open, by settings or
 * in the file of sources. Names are not resolved here; what they lead to is looked at by each request of a run.
 */
function refuseNetworks(spec: SourceSpec, { allowedNetworks }: AdminParts["crawlerConfig"]): void {
  const open = new AllowedNetworks(allowedNetworks)
  const addresses = [
    ...(["seeds", "sitemaps", "feeds"] as const).flatMap((field) =>
      (spec[field] ?? []).map((address, index) => ({ field: `${field}[${index}]`, address })),
    ),
    ...(spec.login?.kind === "form" ? [{ field: "login.url", address: spec.login.url }] : []),
  ]
  const refused = addresses
    .filter(({ address }) => isPrivateByName(new URL(address)) && !open.name(new URL(address)))
    .map(({ field }) => ({
      field,
      message: "must not be a private address over the API; FOSSICK_ALLOWED_NETWORKS can open it",
    }))
  const opened = (spec.allowedNetworks ?? []).flatMap((entry, index) =>
    allowedNetworks.includes(entry)
      ? []
      : {
          field: `allowedNetworks[${index}]`,
          message:
            "may not be opened over the API; FOSSICK_ALLOWED_NETWORKS can open it, or the file of sources",
        },
  )
  if (refused.length + opened.length > 0) throw unprocessable([...refused, ...opened])
}

/** To read what a site keeps out of search engines is for the operator to decide, who answers for the site. */
function refuseNoindex({ ignoreNoindex = false }: SourceSpec): void {
  if (!ignoreNoindex) return
  const message = "may not be set over the API; declare the source in the file of sources"
  throw unprocessable([{ field: "ignoreNoindex", message }])
}

/** How lists show values of a login that may be secrets. */
const HIDDEN = "(hidden)"

/** The declared sources: list, show, declare, take away, run, pause, resume. */
export function sourceRoutes(
  router: Router<RequestState>,
  { db, engine, sources, jobs, removals, crawlerConfig }: AdminParts,
): void {
  const readRun = strictBody(runBody)
  const readRunSeveral = strictBody(runSeveralBody)
  const nothing = strictBody(noFields)
  const onWire = async (entries: readonly SourceEntry[]) => {
    const names = entries.map(({ source }) => source.name)
    const statuses = await sourceStatus({ db, jobs, engine }, names)
    return entries.map((entry) => sourceOnWire(entry, statuses.get(entry.source.name)!))
  }
  const shown = async (name: string) => {
    const entry = sources.get(name)
    if (!entry) throw unknownSource(name)
    return (await onWire([entry]))[0]
  }

  router.get("/sources", async (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const all = sources.list()
    ctx.body = {
      sources: await onWire(all.slice(offset, offset + limit)),
      total: all.length,
      limit,
      offset,
    }
  })

  router.get("/sources/:name", async (ctx) => {
    ctx.body = await shown(nameOf(ctx))
  })

  router.put("/sources/:name", async (ctx) => {
    const name = nameOf(ctx)
    const run = flagParameter(ctx, "run")
    const { name: written = name, ...fields } = ctx.state.body
    if (written !== name) throw unprocessable([{ field: "name", message: `must be ${name}, as in the path` }])
    refuseHidden(fields)
    refuseSecrets(fields, crawlerConfig.apiSecrets)
    const isNew = sources.get(name) === null
    try {
      const spec = readSourceSpec({ name, ...fields })
      refuseNetworks(spec, crawlerConfig)
      refuseNoindex(spec)
      const { webhookNetworks } = crawlerConfig
      const unfit = workProblems(spec, { env: environment(), webhookNetworks })
      if (unfit.length > 0) throw new SourceError(unfit)
      sources.put({ name, ...fields })
    } catch (error) {
      throw sourceRefusal(error)
    }
    if (run) sources.run(name, { trigger: "api" })
    ctx.status = isNew ? 201 : 200
    ctx.body = await shown(name)
  })

  router.delete("/sources/:name", (ctx) => {
    const name = nameOf(ctx)
    const removePages = flagParameter(ctx, "remove_pages")
    try {
      if (!sources.delete(name, { removePages })) throw unknownSource(name)
    } catch (error) {
      throw sourceRefusal(error)
    }
    ctx.body = { name, deleted: true, remove_pages: removePages }
  })

  router.post("/sources/:name/run", (ctx) => {
    const name = nameOf(ctx)
    const { visits = "all" } = readRun(ctx)
    const job = sources.run(name, { trigger: "api", visits })
    if (!job) throw unknownSource(name)
    ctx.status = 202
    ctx.body = jobOnWire(job, removals.ofRun(job.id))
  })

  router.post("/sources/run", (ctx) => {
    const { names, all, visits = "all" } = readRunSeveral(ctx)
    if ((all === undefined) === (names === undefined))
      throw unprocessable([{ field: "names", message: "must be given, or all: true, and not both" }])
    const wanted = names ?? sources.list().flatMap(({ source, paused }) => (paused ? [] : [source.name]))
    // None runs unless all can.
    const known = sources.list().map(({ source }) => source.name)
    const unknown = wanted.findIndex((name) => !known.includes(name))
    if (unknown >= 0) {
      const name = wanted[unknown]!
      const message = `is unknown: There is no source ${JSON.stringify(name.slice(0, 200))}${didYouMean(name, known)}`
      throw unprocessable([{ field: `names[${unknown}]`, message }])
    }
    const started = [...new Set(wanted)].flatMap(
      (name) => sources.run(name, { trigger: "api", visits }) ?? [],
    )
    ctx.status = 202
    ctx.body = { jobs: started.map((job) => jobOnWire(job, removals.ofRun(job.id))) }
  })

  for (const action of ["pause", "resume"] as const) {
    router.post(`/sources/:name/${action}`, async (ctx) => {
      nothing(ctx)
      const name = nameOf(ctx)
      if (!sources[action](name)) throw unknownSource(name)
      ctx.body = await shown(name)
    })
  }

  router.get("/sources/:name/full-crawl", (ctx) => {
    const name = nameOf(ctx)
    const entry = sources.get(name)
    if (!entry) throw unknownSource(name)
    const { pages, areKnown, seconds, delayMs } = fullCrawlOf(db, entry.source, crawlerConfig)
    ctx.body = { name, pages, pages_known: areKnown, seconds, delay_ms: delayMs }
  })

  router.get("/sources/:name/next-runs", (ctx) => {
    const name = nameOf(ctx)
    const count = wholeNumber(ctx, "count", 5, 1, MAX_NEXT_RUNS)
    const entry = sources.get(name)
    if (!entry) throw unknownSource(name)
    ctx.body = {
      name,
      paused: entry.paused,
      schedule: entry.source.schedule,
      next_runs: sources.nextRuns(name, count),
    }
  })
}

function nameOf(ctx: Context & { params?: Readonly<Record<string, string>> }): string {
  const name = ctx.params?.["name"]
  if (name === undefined) throw badRequest("The name of the source is missing.")
  return name
}

const unknownSource = (name: string): ApiError =>
  new ApiError(404, `There is no source ${JSON.stringify(name.slice(0, 200))}.`)

function sourceRefusal(error: unknown): unknown {
  if (error instanceof SourceOfFileError) return new ApiError(409, error.message)
  if (error instanceof SourceError) {
    return unprocessable(error.problems.map(({ path, message }) => ({ field: fieldText(path), message })))
  }
  return error
}

/** What was read here must not be written back: it would replace a secret by the word that hides it. */
function refuseHidden(fields: Readonly<Record<string, unknown>>): void {
  if (!JSON.stringify(fields["login"] ?? null).includes(JSON.stringify(HIDDEN))) return
  throw unprocessable([
    {
      field: "login",
      message: `holds ${HIDDEN} where a value was hidden; write the value, or name a secret`,
    },
  ])
}
