import { FairPool } from "#base/flow/fair-pool.ts"
import { pause } from "#base/flow/pause.ts"
import { toPageUrl } from "#engine"

import type { Context, Middleware } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { openSocket, type OutgoingSocket, protocolOf, wantsSocket } from "../../../server/web-socket.ts"
import { jobOf, type JobEndpointParts, summaryOf } from "./job-routes.ts"

/** Maximum number of jobs watched at the same time by all keys; one key may watch half of them. */
const MOST_WATCHERS = 100
const POLL_MS = 500

/** Browsers cannot send a header with the key when they open a WebSocket, so clients pass the key as the subprotocol. */
export const socketKey: Middleware = async (ctx, next) => {
  const protocol = protocolOf(ctx)
  if (wantsSocket(ctx.req.headers) && ctx.get("Authorization") === "" && protocol !== "") {
    ctx.req.headers.authorization = `Bearer ${protocol}`
  }
  await next()
}

/** GET /v2/crawl/{id} over a WebSocket: each document as it is found, and how the job ends. */
export function watchJob(parts: Pick<JobEndpointParts, "store">): Middleware {
  const sockets = new FairPool("job-sockets", { places: MOST_WATCHERS })
  return async (ctx, next) => {
    if (!wantsSocket(ctx.req.headers)) {
      await next()
      return
    }
    const { id } = await jobOf(ctx, parts.store)
    const leave = sockets.enter(ctx.state.key.id)
    if (leave === null) throw new ApiError(429, "Too many jobs are being watched. Try again shortly.")
    let socket: OutgoingSocket
    try {
      socket = openSocket(ctx)
    } catch (error) {
      leave()
      throw error
    }
    void tell(socket, id, ctx, parts)
      .catch((err: unknown) => ctx.state.log.error({ err }, "a job could not be watched"))
      .finally(() => {
        leave()
        socket.close()
      })
  }
}

/** Uses Firecrawl's messages: `catchup`, `document`, and `done` or `error`. */
async function tell(
  socket: OutgoingSocket,
  id: string,
  { state: { key, reach } }: Context,
  { store }: Pick<JobEndpointParts, "store">,
): Promise<void> {
  const send = (message: object) => socket.send(JSON.stringify(message))
  const standing = await store.get(id)
  if (standing === null) return
  await send({ type: "catchup", data: { ...summaryOf(standing), status: "scraping", data: [] } })
  for (let told = 0; !socket.closed.aborted; await pause(POLL_MS, socket.closed)) {
    // The job is read before its documents, because a job that has ended produces no more documents.
    const job = await store.get(id)
    if (job === null) return
    const admits = await reach.addresses()
    for await (const { url, text } of store.documents(id, told)) {
      if (socket.closed.aborted) return
      told += 1
      const address = toPageUrl(url)
      if (key.role !== "admin" && (address === null || !admits(address))) continue
      await socket.send(`{"type":"document","data":${text}}`)
    }
    if (job.endedAt === null) continue
    const data = { ...summaryOf(job), data: [] }
    if (job.state === "failed") await send({ type: "error", error: job.error, data })
    // Clients know only messages for two endings: `error` if the job failed, and `done` if it was completed.
    else await send({ type: job.state === "completed" ? "done" : "catchup", data })
    return
  }
}
