import type { Readable } from "node:stream"

import type { Context } from "../context.ts"

/** Whether the caller asks for events by name (RFC 9110 §12.5.1); clients that take anything want the one answer that others get. */
export const wantsEvents = (ctx: Context): boolean => /\btext\/event-stream\b/i.test(ctx.get("Accept"))

/** Answers with server-sent events (HTML Living Standard, 9.2). */
export function sendEvents(ctx: Context, events: Readable): void {
  ctx.status = 200
  ctx.set("Content-Type", "text/event-stream")
  ctx.set("Cache-Control", "no-cache, no-transform")
  // Proxies that gather answers before they pass them on would hold events back.
  ctx.set("X-Accel-Buffering", "no")
  ctx.body = events
}
