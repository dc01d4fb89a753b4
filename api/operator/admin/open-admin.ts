import { AuditLog } from "#base/audit/audit-log.ts"
import { FairPool } from "#base/flow/fair-pool.ts"

import { History } from "../history/history.ts"
import { QueryLog } from "../../services/queries/query-log.ts"
import type { AdminParts } from "./admin-parts.ts"

/** The parts the admin API uses, in addition to those that the process already has open. None of them needs closing. */
export async function openAdmin(
  open: Pick<AdminParts, "db" | "engine" | "jobs" | "crawlerConfig" | "engineConfig"> &
    Partial<Pick<AdminParts, "queries" | "history" | "audit" | "eventStreams" | "people">>,
): Promise<AdminParts> {
  const [{ Sources }, { Removals }, { WebhookQueue }, { AlertBook }] = await Promise.all([
    import("#crawler/sources/sources.ts"),
    import("#crawler/upkeep/removals/removals.ts"),
    import("#crawler/reporting/webhooks/webhook-queue.ts"),
    import("#crawler/reporting/alerts/alert-book.ts"),
  ])
  const { db, jobs, engine, engineConfig } = open
  return {
    ...open,
    sources: new Sources(db, jobs),
    removals: new Removals(db),
    webhooks: new WebhookQueue(db),
    alerts: new AlertBook(db),
    people: open.people ?? null,
    audit: open.audit ?? new AuditLog(db, 1),
    eventStreams: open.eventStreams ?? new FairPool("event-streams", { places: Infinity }),
    queries: open.queries ?? new QueryLog(db, 0),
    history: open.history ?? (await History.open({ db, engine, dataDir: engineConfig.dataDir })),
  }
}
