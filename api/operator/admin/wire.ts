import type { Job, ListedSource } from "#crawler"
import type { Alert, AlertBook } from "#crawler/reporting/alerts/alert-book.ts"
import type { ChannelName } from "#crawler/reporting/alerts/channels/registry.ts"
import { alertData } from "#crawler/reporting/alerts/alert-messages.ts"
import { concealedCounts, concealedEnd } from "#crawler/fetch/concealed.ts"
import type { JobEvent } from "#crawler/job.ts"
import type { HeldRemovals, Removal, RunRemovals } from "#crawler/upkeep/removals/removals.ts"
import { watcherOf } from "#crawler/fetch/content/kinds.ts"
import type { SourceStatus } from "#crawler/sources/source-status.ts"
import { withoutSecrets } from "#crawler/sources/shown-source.ts"
import type { Delivery } from "#crawler/reporting/webhooks/webhook-queue.ts"

import type { Feedback } from "../../identity/accounts/feedback-store.ts"

// Responses of the admin API in wire format. A source has the field names of the sources file.

export function jobOnWire(job: Job, removals: RunRemovals | null) {
  return {
    id: job.id,
    source: job.source.name,
    trigger: job.trigger,
    visits: job.visits,
    state: job.state,
    result: job.result,
    reason: job.reason,
    created_at: job.createdAt,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    queued: job.queued,
    waits: job.waits.map(({ host, until, outcome, why }) => ({
      host,
      until,
      why: concealedEnd({ outcome, detail: why }).detail,
    })),
    outcomes: concealedCounts(job.outcomes),
    changes: job.changes,
    checked_by_copy: { pages: job.checkedByCopy.pages, spared_bytes: job.checkedByCopy.sparedBytes },
    removals,
    note: job.note,
    error: job.error,
  }
}

export const eventOnWire = ({ at, level, text }: JobEvent) => ({ at, level, text })

export function sourceOnWire(
  entry: ListedSource,
  { pages, pagesWithVectors, pagesForNobody, lastResult, lastJob: last }: SourceStatus,
) {
  return {
    name: entry.source.name,
    origin: entry.origin,
    paused: entry.paused,
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
    next_run_at: entry.nextRun,
    watched: watcherOf(entry.source) !== null,
    pages,
    pages_with_vectors: pagesWithVectors,
    pages_for_nobody: pagesForNobody,
    last_result: lastResult && {
      job_id: lastResult.job,
      result: lastResult.result,
      reason: lastResult.reason,
      ended_at: lastResult.endedAt,
      new: lastResult.new,
      changed: lastResult.changed,
      gone: lastResult.gone,
      failed: lastResult.failed,
      skipped: lastResult.skipped,
    },
    last_job: last && {
      id: last.id,
      state: last.state,
      result: last.result,
      reason: last.reason,
      created_at: last.createdAt,
      ended_at: last.endedAt,
      note: last.note,
      error: last.error,
    },
    source: withoutSecrets(entry.source),
  }
}

export function removalOnWire(removal: Removal) {
  return {
    url: removal.url,
    source: removal.source,
    state: removal.state,
    reason: removal.reason,
    detail: removal.detail,
    strikes: removal.strikes,
    job_id: removal.job,
    at: removal.at,
    kept_until: removal.keptUntil,
  }
}

export function heldOnWire(held: HeldRemovals) {
  return {
    source: held.source,
    pages: held.pages,
    of_pages: held.ofPages,
    reasons: held.reasons,
    job_id: held.job,
    at: held.at,
  }
}

export function deliveryOnWire(delivery: Delivery) {
  return {
    id: delivery.id,
    source: delivery.source,
    job_id: delivery.job,
    event: delivery.event,
    url: delivery.receiver,
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: delivery.createdAt,
    last_attempt_at: delivery.lastAttemptAt,
    next_attempt_at: delivery.nextAttemptAt,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
  }
}

export function alertOnWire({ toldAt, ...alert }: Alert) {
  return { ...alertData(alert), told_at: toldAt }
}

/** The messages of a channel, newest first. */
export const noticesOnWire = async (alerts: AlertBook, channel: ChannelName, limit: number) =>
  (await alerts.outbox(channel).latest(limit)).map((message) => ({
    id: message.id,
    recipient: message.receiver,
    subject: message.subject,
    state: message.state,
    attempts: message.attempts,
    created_at: message.createdAt,
    last_attempt_at: message.lastAttemptAt,
    next_attempt_at: message.nextAttemptAt,
    last_error: message.lastError,
  }))

export function feedbackOnWire({ id, at, keyId, requestId, sessionId, fields }: Feedback) {
  return {
    ...fields,
    feedback_id: id,
    at: new Date(at).toISOString(),
    key_id: keyId,
    request_id: requestId,
    session_id: sessionId,
  }
}
