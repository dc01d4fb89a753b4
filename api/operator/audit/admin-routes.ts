import { Readable } from "node:stream"

import type { Router } from "@koa/router"

import type { AuditEntry, AuditFilter, AuditLog } from "#base/audit/audit-log.ts"

import type { RequestState } from "../../context.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { auditOperations } from "./operations.ts"

/** Number of an export's entries read at a time. */
const AT_ONCE = 500

/** The audit log: `/admin/audit`. */
export function auditRoutes(router: Router<RequestState>, { audit }: { readonly audit: AuditLog }): void {
  serve(router, auditOperations.listAudit, async ({ query: { limit, offset, ...filter } }) => ({
    entries: (await audit.list(filter, { limit, offset })).map(entryOnWire),
    total: await audit.count(filter),
    days: audit.days,
    limit,
    offset,
  }))

  serve(router, auditOperations.exportAudit, async ({ ctx, query }) => {
    const entries = lines(audit, { ...query })
    ctx.type = "application/x-ndjson"
    ctx.attachment("audit.jsonl")
    ctx.body = Readable.from(entries)
    return undefined
  })
}

/** An entry in the form that programs receive. */
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

/** All matching entries, oldest first, one JSON object per line. */
export async function* lines(audit: AuditLog, filter: AuditFilter): AsyncGenerator<string> {
  let last = 0
  for (;;) {
    const entries = await audit.after(last, filter, AT_ONCE)
    for (const entry of entries) yield `${JSON.stringify(entryOnWire(entry))}\n`
    if (entries.length < AT_ONCE) return
    last = entries.at(-1)!.id
  }
}
