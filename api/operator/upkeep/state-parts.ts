import { migrateDocuments } from "#crawler/fetch/content/documents/document-store.ts"
import { migrateMail } from "#crawler/fetch/content/mailbox/store/mail-tables.ts"
import { AuditLog } from "#base/audit/audit-log.ts"
import { OutboundLedger } from "#base/outbound/outbound-ledger.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { migrateCopies } from "#crawler/crawl/copies/host-credit.ts"
import { migrateTexts } from "#crawler/crawl/duplicates/text-store.ts"
import { LostPages } from "#crawler/crawl/frontier/lost-pages.ts"
import { migrateUnrecorded } from "#crawler/sources/unrecorded-pages.ts"
import { TrapStore } from "#crawler/crawl/traps/trap-store.ts"
import { OpenedNetworks } from "#crawler/fetch/guard/opened-networks.ts"
import { PinnedNetworks } from "#crawler/fetch/guard/pinned-networks.ts"
import { migrateHostTurns } from "#crawler/fetch/hosts/host-turns.ts"
import { migrateHostWaits } from "#crawler/fetch/hosts/host-waits.ts"
import { migrateObservations } from "#crawler/fetch/observe/observation-schema.ts"
import { AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import { openCrawlerParts } from "#crawler/upkeep/backup/foreign-code.ts"
import { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { migrateImages } from "#crawler/upkeep/images/image-schema.ts"
import { migrateReaders } from "#crawler/sources/readers/readers-schema.ts"
import { migrateRemovals } from "#crawler/upkeep/removals/removal-schema.ts"

import { migrateLedger } from "../../identity/accounts/billing/credit-ledger.ts"
import { migrateLateCalls } from "../../identity/accounts/billing/late-calls.ts"
import { CallLog } from "../../identity/accounts/call-log.ts"
import { FeedbackStore } from "../../identity/accounts/feedback-store.ts"
import { migrateSecrets } from "../../identity/accounts/human-ids.ts"
import { openKeyStore } from "../../identity/accounts/keys/keys.ts"
import { SharedRates } from "../../identity/accounts/rates/shared-rates.ts"
import { PageRequestStore } from "../../identity/accounts/page-request-store.ts"
import { PublicKeyStore } from "../../identity/accounts/public-keys/public-key-store.ts"
import { openCollections } from "../../identity/accounts/reach/collections.ts"
import { OAuthStore } from "../../identity/oauth/oauth-store.ts"
import { PersonStore } from "../../identity/people/person-store.ts"
import { openShownOnce } from "../../identity/sign-on/kept/shown-once.ts"
import { SessionStore } from "../../identity/sessions/session-store.ts"
import { JobStore } from "../../doors/firecrawl/jobs/job-store.ts"
import { JobOutbox } from "../../doors/firecrawl/webhooks/job-outbox.ts"
import { migrateX402 } from "../../doors/x402/books/payment-ledger.ts"
import { ApplianceName } from "../../faces/appliance-name.ts"
import { QueryLog } from "../../services/queries/query-log.ts"
import { ResearchTasks } from "../../services/research/task-store.ts"
import { migrateWatches } from "../../services/watches/store/watch-tables.ts"
import { migrateHistory } from "../history/history.ts"
import { migrateJudged } from "../judging/judged-store.ts"
import { RuleStore } from "../rules/rule-store.ts"

const writes = { run: <T>(work: () => Promise<T>): Promise<T> => work() }

/** Opens every part of a state, so that a restore can tell our triggers from others and a move finds every table. */
export function openStateParts(db: StateStore): void {
  openBaseParts(db)
  openCrawlerParts(db)
  openOtherCrawlerParts(db)
  openIdentityParts(db)
  void new JobStore(db, writes, Infinity, { hasRoom: async () => true })
  void new JobOutbox(db)
  migrateX402(db)
  void new ApplianceName(db)
  void new QueryLog(db, 0)
  void new ResearchTasks(db, writes)
  migrateWatches(db)
  migrateHistory(db)
  migrateJudged(db)
  void new RuleStore(db)
}

function openBaseParts(db: StateStore): void {
  void new AuditLog(db, 0)
  void new OutboundLedger(db)
}

/** The crawler's parts that create no triggers. */
function openOtherCrawlerParts(db: StateStore): void {
  migrateCopies(db)
  migrateDocuments(db)
  migrateMail(db)
  migrateTexts(db)
  void new LostPages(db)
  void new TrapStore(db)
  void new OpenedNetworks(db)
  void new PinnedNetworks(db)
  migrateHostTurns(db)
  migrateHostWaits(db)
  void new AlertBook(db)
  void new BackupTable(db)
  migrateImages(db)
  migrateUnrecorded(db)
  migrateRemovals(db)
  migrateReaders(db)
  migrateObservations(db)
}

function openIdentityParts(db: StateStore): void {
  openKeyStore(db, "")
  void new CallLog(db)
  void new FeedbackStore(db)
  void new PageRequestStore(db)
  migrateLedger(db)
  migrateLateCalls(db)
  migrateSecrets(db)
  void new SharedRates(db)
  void new PublicKeyStore(db)
  openCollections(db)
  void new OAuthStore(db)
  void new SessionStore(db)
  void new PersonStore(db)
  openShownOnce(db, writes)
}
