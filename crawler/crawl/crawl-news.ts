import type { Logger } from "pino"

import type { Job } from "../job.ts"
import { isFailure, isSkip, type OutcomeName } from "../outcome-name.ts"

/** Logs that a job begins. */
export const crawlStarted = (log: Logger, { id, source }: Job): void =>
  log.info({ source: source.name, job: id }, "crawl {source} started")

/** Logs how a job ended, or that it stopped for now: `crawl postgres finished: 1,169 new, 0 failed, 41 s`. */
export function crawlEnded(log: Logger, { id, source, state, result, ...job }: Job): void {
  const { outcomes, startedAt, endedAt } = job
  const unchanged = outcomes.unchanged ?? 0
  const skipped = sumOf(outcomes, isSkip)
  const end = endedAt ?? new Date()
  const fields = {
    source: source.name,
    // A job that has ended either has a result or was cancelled.
    how: result?.replaceAll("-", " ") ?? (state === "queued" || state === "running" ? "interrupted" : state),
    new: outcomes.indexed ?? 0,
    ...(unchanged > 0 && { unchanged }),
    ...(skipped > 0 && { skipped }),
    failed: sumOf(outcomes, isFailure),
    seconds: startedAt ? Math.round((end.getTime() - startedAt.getTime()) / 1000) : 0,
    job: id,
    // Omitted, because a null in the JSON format tells the reader nothing.
    reason: job.reason ?? undefined,
    error: job.reason === null ? (job.error ?? undefined) : undefined,
    note: job.note ?? undefined,
  }
  const counts = [
    "{new} new",
    ...(unchanged > 0 ? ["{unchanged} unchanged"] : []),
    ...(skipped > 0 ? ["{skipped} skipped"] : []),
    "{failed} failed",
    "{seconds} s",
  ]
  const level = result === "failed" ? "error" : result === "finished-with-problems" ? "warn" : "info"
  const why = job.reason === null ? "" : ": {reason}"
  log[level](fields, `crawl {source} {how}: ${counts.join(", ")}${why}`)
}

function sumOf(outcomes: Job["outcomes"], counts: (name: OutcomeName) => boolean): number {
  const names = Object.keys(outcomes) as OutcomeName[]
  return names.reduce((sum, name) => (counts(name) ? sum + (outcomes[name] ?? 0) : sum), 0)
}
