import { setTimeout } from "node:timers"
import { PassThrough } from "node:stream"

import type { Router } from "@koa/router"

import { STOPPING } from "../../../server/shutdown.ts"
import { type RequestState, whenClosed } from "../../../context.ts"
import { enterStream } from "../../../server/load/gates.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { sendEvents } from "../../../server/server-sent-events.ts"
import type { AdminParts } from "../admin-parts.ts"
import { jobOperations } from "../operations/jobs.ts"
import { EventFeed, type FeedEvent } from "./event-feed.ts"
import { eventTopics } from "./topics.ts"

/** How long a client waits before it reconnects. */
const AGAIN_MS = 1000
/** Maximum number of bytes that a client can leave unread before its stream ends; it gets the latest state when it reconnects. */
const MOST_UNREAD = 262_144

/** Server-sent events (HTML Living Standard, 9.2) for running work: `/admin/events`. */
export function eventRoutes(
  router: Router<RequestState>,
  parts: Pick<AdminParts, "jobs" | "removals" | "engine" | "eventStreams">,
): void {
  let problem: ((error: unknown) => void) | null = null
  const feed = new EventFeed(eventTopics(parts), { onProblem: (error) => problem?.(error) })

  serve(router, jobOperations.followEvents, ({ ctx, query: { seconds } }) => {
    const leave = enterStream(parts.eventStreams, ctx.state.key.id)
    const { log } = ctx.state
    problem = (err) => log.error({ err }, "an event could not be read")
    const body = new PassThrough()
    const write = ({ id, name, data }: FeedEvent) => {
      body.write(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`)
      if (body.readableLength + body.writableLength > MOST_UNREAD) end()
    }
    body.write(`retry: ${AGAIN_MS}\n\n`)
    const after = ctx.get("Last-Event-ID")
    const stop = feed.listen(write, after === "" ? null : after)
    const end = () => {
      clearTimeout(timer)
      stop()
      leave()
      if (!body.writableEnded) body.end()
    }
    const timer = setTimeout(end, seconds * 1000)
    whenClosed(ctx, end)
    ctx.res.once(STOPPING, end)
    sendEvents(ctx, body)
  })
}
