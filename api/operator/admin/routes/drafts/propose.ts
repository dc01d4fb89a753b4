import type { Router } from "@koa/router"

import { concealedMessage, untilTold } from "#crawler/fetch/concealed.ts"
import { ownHosts } from "#crawler/fetch/hosts/manners.ts"
import { toPageUrl } from "#engine"

import type { RequestState } from "../../../../context.ts"
import { ApiError } from "../../../../errors.ts"
import { unprocessable } from "../../../../server/middleware/query-parameters.ts"
import { serve } from "../../../../server/serving/serve-operation.ts"
import type { AdminParts } from "../../admin-parts.ts"
import { draftOperations } from "../../operations/drafts.ts"
import { whileWaiting } from "../while-waiting.ts"

/** Number of sites examined at the same time: each may start a browser, and takes time. */
const LOOKS = 1

const NOT_OWN =
  "may be true over the API only for hosts in FOSSICK_OWN_HOSTS or FOSSICK_ALLOWED_NETWORKS; on the machine, use fossick sources add --ignore-robots"

/** Examines a site once, and proposes a source that fits it. */
export function proposeRoutes(router: Router<RequestState>, parts: AdminParts): void {
  let looking = 0

  serve(router, draftOperations.proposeSource, async ({ ctx, body }) => {
    const { ignore_robots: ignoresRobots } = body
    const url = toPageUrl(body.url)
    if (url === null) throw unprocessable([{ field: "url", message: "must be an http or https address" }])
    if (ignoresRobots && !ownHosts(parts.crawlerConfig)(new URL(url)))
      throw unprocessable([{ field: "ignore_robots", message: NOT_OWN }])
    if (looking >= LOOKS) throw new ApiError(429, "Another site is being examined. Try again shortly.")
    looking += 1
    try {
      // Loaded on the first call, like everything needed for reading.
      const { surveySite } = await import("#crawler/sources/survey/survey.ts")
      const { surveyOnWire } = await import("#crawler/sources/survey/survey-wire.ts")
      const { db, sources, crawlerConfig: config } = parts
      const signal = whileWaiting(ctx)
      const startedAt = performance.now()
      const survey = await surveySite(url, {
        db,
        config,
        trusted: false,
        tellsNetworks: config.adminNetworks,
        ignoresRobots,
        taken: new Set((await sources.list()).map(({ source }) => source.name)),
        signal,
      }).catch((error: unknown) => {
        if ((error as Error).constructor !== Error) throw error
        throw new ApiError(409, `The site cannot be read: ${concealedMessage(error as Error)}.`)
      })
      if (survey.outcome === "failed:dns" && !config.adminNetworks) await untilTold(startedAt, signal)
      return surveyOnWire(survey)
    } finally {
      looking -= 1
    }
  })
}
