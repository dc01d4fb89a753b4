import type { StateStore } from "#base/store/state-store.ts"
import { AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import { openCrawlerParts } from "#crawler/upkeep/backup/foreign-code.ts"

import { CallLog } from "../../identity/accounts/call-log.ts"
import { FeedbackStore } from "../../identity/accounts/feedback-store.ts"
import { openKeyStore } from "../../identity/accounts/keys/keys.ts"
import { PageRequestStore } from "../../identity/accounts/page-request-store.ts"
import { JobStore } from "../../doors/firecrawl/jobs/job-store.ts"
import { JobOutbox } from "../../doors/firecrawl/webhooks/job-outbox.ts"
import { ResearchTasks } from "../../services/research/task-store.ts"
import { migrateWatches } from "../../services/watches/store/watch-tables.ts"

const writes = { run: <T>(work: () => Promise<T>): Promise<T> => work() }

/** Opens every part of a state that makes triggers, so that a restore knows ours from others. */
export function openStateParts(db: StateStore): void {
  openCrawlerParts(db)
  void new AlertBook(db)
  openKeyStore(db, "")
  void new CallLog(db)
  void new FeedbackStore(db)
  void new PageRequestStore(db)
  void new ResearchTasks(db, writes)
  void new JobStore(db, writes, Infinity, { hasRoom: async () => true })
  void new JobOutbox(db)
  migrateWatches(db)
}
