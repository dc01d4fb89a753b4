import type { Router } from "@koa/router"

import type { DiskRoom } from "#base/disk-space.ts"
import type { Ledger } from "../../identity/accounts/billing/credit-ledger.ts"
import type { Middleware, RequestState } from "../../context.ts"
import type { Door } from "../../server/door.ts"
import { roomOnDisk } from "../../room-on-disk.ts"
import { admission } from "../../server/middleware/admission.ts"
import type { PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import {
  activeCrawls,
  cancelJob,
  JOB_PATHS,
  jobErrors,
  type JobEndpointParts,
  jobStatus,
  startJob,
} from "./jobs/job-routes.ts"
import { socketKey, watchJob } from "./jobs/watch-job.ts"
import { map } from "./map.ts"
import { type FirecrawlParts, scrape } from "./scrape.ts"
import { concurrencyCheck, creditHistory, creditUsage, queueStatus } from "./team.ts"
import { search } from "./search.ts"

export interface FirecrawlRouteParts
  extends Door, FirecrawlParts, Pick<PlainSearchParts, "images" | "unitReader" | "visits"> {
  readonly embedder: FirecrawlParts["embedder"] & PlainSearchParts["embedder"]
  readonly limits: SearchLimits
  /** The room on the disk that holds the data folder. */
  readonly room: Pick<DiskRoom, "isLow">
  /** Runs the jobs; if left out, no jobs are accepted, because nothing would process them. */
  readonly jobs?: Omit<JobEndpointParts, "chatModel" | "publicUrl"> | undefined
  readonly publicUrl: string
  readonly ledger: Ledger
  /** Refuses calls that read live pages; null if they are served. */
  readonly refuseLive: Middleware | null
}

/** The calls of Firecrawl's API, in its second version and, where only the names differ, in its first. */
export function firecrawlRoutes(router: Router<RequestState>, parts: FirecrawlRouteParts): void {
  const { key, body, admissions, jobs, refuseLive } = parts
  const free = admission(admissions, "usage")
  const live = (one: Middleware): Middleware => refuseLive ?? one
  for (const version of [1, 2] as const) {
    const at = `/v${version}`
    router.post(`${at}/scrape`, key, body, admission(admissions, "extract"), live(scrape(version, parts)))
    router.post(
      `${at}/search`,
      key,
      body,
      admission(admissions, "search"),
      search(version, parts.limits, parts),
    )
    router.post(`${at}/map`, key, body, admission(admissions, "map"), live(map(version, parts)))
    router.get(`${at}/team/credit-usage`, key, free, creditUsage(parts.ledger, version))
    router.get(`${at}/team/credit-usage/historical`, key, free, creditHistory(parts.ledger))
    if (jobs === undefined) continue
    const served = { ...jobs, chatModel: parts.chatModel, publicUrl: parts.publicUrl }
    const watch = watchJob(served)
    // Polling costs nothing; it shows whatever the key may see.
    const seeing: Middleware = async (ctx, next) => {
      ctx.state.reach = admissions.reach(ctx.state.key)
      await next()
    }
    router.get(`${at}/team/queue-status`, key, free, queueStatus(served.store))
    router.get(`${at}/concurrency-check`, key, free, concurrencyCheck(served.store))
    for (const name of ["active", "ongoing"]) router.get(`${at}/crawl/${name}`, key, activeCrawls(served))
    for (const kind of ["crawl", "batch"] as const) {
      const path = `${at}/${JOB_PATHS[kind]}`
      const admit = admission(admissions, kind === "crawl" ? "crawl" : "extract")
      router.post(path, key, body, roomOnDisk(parts.room), admit, live(startJob(kind, version, served)))
      router.get(`${path}/:id`, socketKey, key, seeing, watch, jobStatus(version, served))
      router.get(`${path}/:id/errors`, key, seeing, jobErrors(served))
      router.delete(`${path}/:id`, key, cancelJob(served))
    }
  }
}
