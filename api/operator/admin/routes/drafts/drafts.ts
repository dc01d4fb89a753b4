import type { Router } from "@koa/router"

import { concealedMessage, UNREACHABLE_HOST, untilTold } from "#crawler/fetch/concealed.ts"
import { defineSource } from "#crawler/source.ts"
import { withoutSecrets } from "#crawler/sources/shown-source.ts"
import { sourceYaml, withoutDefaults } from "#crawler/sources/file/source-yaml.ts"
import { fullCrawlOf } from "#crawler/sources/file/plan.ts"

import type { RequestState } from "../../../../context.ts"
import { ApiError } from "../../../../errors.ts"
import { serve } from "../../../../server/serving/serve-operation.ts"
import type { AdminParts } from "../../admin-parts.ts"
import { draftOperations as calls } from "../../operations/drafts.ts"
import { unknownSource } from "../sources.ts"
import { whileWaiting } from "../while-waiting.ts"
import { checkSource } from "./check-source.ts"

/** Number of sources tried at the same time: each may start a browser. */
const TRIALS = 1

/** Routes for a source that is being written: the file it would produce, its problems, and what its pages would look like. */
export function draftRoutes(router: Router<RequestState>, parts: AdminParts): void {
  const { db, sources, crawlerConfig: config } = parts
  let trying = 0

  serve(router, calls.sourceWritten, async ({ path: { name } }) => {
    const entry = await sources.getListed(name)
    if (!entry) throw unknownSource(name)
    const source = withoutDefaults(withoutSecrets(entry.source))
    return { name, origin: entry.origin, source, yaml: sourceYaml(source) }
  })

  serve(router, calls.previewSource, async ({ body: { source } }) => {
    const { spec, problems, closedAddresses, fitsFile } = await checkSource(source, config, db)
    const name = typeof source["name"] === "string" ? source["name"] : null
    const old = name === null ? null : await sources.get(name)
    const crawl = spec && (await fullCrawlOf(db, defineSource(spec), "api", config))
    return {
      name,
      exists: old?.origin ?? null,
      yaml: sourceYaml(source),
      problems,
      closed_addresses: closedAddresses,
      fits_file: fitsFile,
      full_crawl: crawl && {
        pages: crawl.pages,
        pages_known: crawl.areKnown,
        seconds: crawl.seconds,
        delay_ms: crawl.delayMs,
      },
    }
  })

  serve(router, calls.trySource, async ({ ctx, body: { source } }) => {
    const { spec, problems } = await checkSource(source, config, db)
    if (spec === null || problems.length > 0) {
      return { problems, login: null, pages: [], requests: 0, took_ms: 0 }
    }
    if (trying >= TRIALS) throw new ApiError(429, "Another source is being tried. Try again shortly.")
    trying += 1
    try {
      // Loaded on the first call, like everything needed for reading.
      const { trySource } = await import("#crawler/sources/survey/trial.ts")
      const { triedInBrief } = await import("#crawler/sources/survey/survey-wire.ts")
      const startedAt = performance.now()
      const signal = whileWaiting(ctx)
      const trial = await trySource(spec, { db, config, signal }).catch((error: unknown) => {
        if ((error as Error).constructor !== Error) throw error
        throw new ApiError(409, `The source cannot be read: ${concealedMessage(error as Error)}.`)
      })
      const { login, pages, requests, tookMs } = trial
      const isConcealed = login?.error === UNREACHABLE_HOST || pages.some(isUnknown)
      if (isConcealed) await untilTold(startedAt, signal)
      return { problems, login, pages: pages.map(triedInBrief), requests, took_ms: tookMs }
    } finally {
      trying -= 1
    }
  })
}

const isUnknown = ({ outcome }: { readonly outcome: string }): boolean => outcome === "failed:dns"
