import type { Readable } from "node:stream"

import type { Context } from "../context.ts"

/** Whether the caller explicitly asks for events (RFC 9110 §12.5.1); clients that accept any type get a single response instead. */
export const wantsEvents = (ctx: Context): boolean => /\btext\/event-stream\b/i.test(ctx.get("Accept"))

/** Answers with server-sent events (HTML Living Standard, 9.2). */
export function sendEvents(ctx: Context, events: Readable): void {
  ctx.status = 200
  ctx.set("Content-Type", "text/event-stream")
  ctx.set("Cache-Control", "no-cache, no-transform")
  // Proxies that buffer answers would hold events back.
  ctx.set("X-Accel-Buffering", "no")
  ctx.body = events
}
