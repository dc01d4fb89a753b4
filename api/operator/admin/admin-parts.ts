import type { CrawlerConfig, Jobs, Sources, StateStore } from "#crawler"
import type { AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import type { Removals } from "#crawler/upkeep/removals/removals.ts"
import type { WebhookQueue } from "#crawler/reporting/webhooks/webhook-queue.ts"
import type { AuditLog } from "#base/audit/audit-log.ts"
import type { FairPool } from "#base/flow/fair-pool.ts"
import type { Values } from "#base/settings.ts"
import type { Engine } from "#engine"
import type { engineSettings } from "#engine/settings.ts"

import type { PersonKeys } from "../../identity/people/person-keys.ts"
import type { History } from "../history/history.ts"
import type { QueryLog } from "../../services/queries/query-log.ts"

/** The data that the admin API reads and changes. */
export interface AdminParts {
  readonly db: StateStore
  readonly engine: Engine
  readonly jobs: Jobs
  readonly sources: Sources
  readonly removals: Removals
  readonly webhooks: WebhookQueue
  readonly alerts: AlertBook
  readonly queries: QueryLog
  readonly history: History
  readonly audit: AuditLog
  /** People as keys; null if no provider signs people in. */
  readonly people: PersonKeys | null
  /** The process's event streams, counted in the metrics. */
  readonly eventStreams: FairPool
  readonly crawlerConfig: CrawlerConfig
  readonly engineConfig: Values<typeof engineSettings>
}
