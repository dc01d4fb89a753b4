import { Readable } from "node:stream"

import type { Router } from "@koa/router"

import type { AuditEntry, AuditFilter, AuditLog } from "#base/audit/audit-log.ts"

import type { Context, RequestState } from "../../context.ts"
import { parameter, sliceOf, timeParameter } from "../../server/middleware/query-parameters.ts"

/** Entries of an export that are read at a time. */
const AT_ONCE = 500

/** Who changed what: `/admin/audit`. */
export function auditRoutes(router: Router<RequestState>, { audit }: { readonly audit: AuditLog }): void {
  router.get("/audit", async (ctx) => {
    const slice = sliceOf(ctx)
    const filter = filterOf(ctx)
    ctx.body = {
      entries: (await audit.list(filter, slice)).map(entryOnWire),
      total: await audit.count(filter),
      days: audit.days,
      ...slice,
    }
  })

  router.get("/audit.jsonl", async (ctx) => {
    const filter = filterOf(ctx)
    ctx.type = "application/x-ndjson"
    ctx.attachment("audit.jsonl")
    ctx.body = Readable.from(lines(audit, filter))
  })
}

function filterOf(ctx: Context): AuditFilter {
  return {
    from: timeParameter(ctx, "from"),
    before: timeParameter(ctx, "before"),
    who: parameter(ctx, "who"),
    object: parameter(ctx, "object"),
    action: parameter(ctx, "action"),
  }
}

/** As programs get it. */
export const entryOnWire = ({ id, at, who, action, object, status, changes, address }: AuditEntry) => ({
  id,
  at: at.toISOString(),
  who,
  action,
  object,
  status,
  changes,
  address,
})

/** All that fits, oldest first, a JSON object a line. */
export async function* lines(audit: AuditLog, filter: AuditFilter): AsyncGenerator<string> {
  let last = 0
  for (;;) {
    const entries = await audit.after(last, filter, AT_ONCE)
    for (const entry of entries) yield `${JSON.stringify(entryOnWire(entry))}\n`
    if (entries.length < AT_ONCE) return
    last = entries.at(-1)!.id
  }
}
