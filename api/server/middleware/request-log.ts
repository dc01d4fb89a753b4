import type Koa from "koa"
import type { Logger } from "pino"

import { callerGone, type Context, type Middleware, type RequestState } from "../../context.ts"

/** Maximum length of a client name in the log; the header comes from the caller and may contain anything. */
const MAX_CLIENT_CHARS = 40

/**
 * Logs one line for each request: the endpoint, the outcome and the time taken. The body, keys and addresses with
 * parameters are never logged, because all of these may be private; the question is logged only with `queries`.
 */
export function requestLog(log: Logger, { queries = false } = {}): Middleware {
  return async (ctx, next) => {
    ctx.state.log = log.child({ requestId: ctx.state.requestId })
    await next()
    const { key } = ctx.state as Partial<Context["state"]>
    const line = {
      method: ctx.method,
      path: shownPath(ctx.path),
      // A status for a response that no caller sees, because the caller hung up.
      status: callerGone(ctx) ? 499 : ctx.status,
      ms: Math.round(performance.now() - ctx.state.startedAt),
      key: key?.onBehalf?.keyId ?? key?.id,
      person: key?.onBehalf?.personId,
      client: ctx.get("X-Client-Source").slice(0, MAX_CLIENT_CHARS) || undefined,
      // Callers that guess keys can be blocked only by address; no other addresses are logged.
      address: ctx.status === 401 ? ctx.ip : undefined,
      degraded: (ctx.state as Partial<Context["state"]>).degraded?.parts.join(", ") || undefined,
      query: queries ? ctx.state.asked : undefined,
    }
    const message = `{method} {path} {status} {ms} ms${line.key === undefined ? "" : " key {key}"}`
    ctx.state.log[isOfNote(ctx) ? "info" : "debug"](line, message)
  }
}

/** Node's codes for errors that occur when the other end closes the connection. */
const HUNG_UP: readonly unknown[] = ["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"]

/**
 * Logs errors that occur while a response is written; Koa's own report would go to stderr as text. A caller that leaves
 * early, such as a browser tab that was following events, is not an error.
 */
export function logUnwritten(app: Koa<RequestState>, log: Logger): void {
  app.on("error", (error: NodeJS.ErrnoException, ctx?: Context) => {
    if (ctx !== undefined && callerGone(ctx) && HUNG_UP.includes(error.code)) return
    log.warn({ err: error }, "answer not written")
  })
}

/** The text after `/read/` is the address of a page, which is also private. */
const shownPath = (path: string): string => (path.startsWith("/read/") ? "/read/" : path.slice(0, 200))

/**
 * Probes come every few seconds, and their failures have their own log lines. A reader of the handbook, such as our own
 * crawler, requests dozens of pages.
 */
const isOfNote = ({ method, path, status }: Context): boolean =>
  !isProbe(path) && (status >= 500 || !(method === "GET" && isHandbook(path)))

const isProbe = (path: string): boolean => path === "/healthz" || path === "/readyz"
const isHandbook = (path: string): boolean =>
  path === "/docs" || path.startsWith("/docs/") || path === "/robots.txt" || path === "/favicon.ico"
