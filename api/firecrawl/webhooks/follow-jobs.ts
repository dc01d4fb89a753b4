import { createHmac } from "node:crypto"

import type { Logger } from "pino"

import { pause } from "#base/flow/pause.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { InTurn } from "#crawler/webhooks/in-turn.ts"
import { toPageUrl } from "#engine"

import { keptSecret } from "../../accounts/human-ids.ts"
import type { ApiKey, KeyStore } from "../../accounts/keys/keys.ts"
import type { KeyReceivers } from "../../accounts/reach/key-receivers.ts"
import type { Reach } from "../../accounts/reach/reach.ts"
import type { FirecrawlJob, JobStore } from "../jobs/job-store.ts"
import type { JobAttempt, JobMessage, JobOutbox } from "./job-outbox.ts"

export interface FollowJobsParts {
  /** Whether it is this process that tells. Default: yes. */
  readonly mayTell?: () => boolean
  readonly store: Pick<JobStore, "get" | "document">
  readonly outbox: JobOutbox
  readonly keys: Pick<KeyStore, "byId">
  readonly reach: (key: ApiKey) => Pick<Reach, "addresses">
  readonly receivers: KeyReceivers
  readonly secretOf: SecretOf
  readonly log: Logger
  /** Milliseconds between two looks. Default one second. */
  readonly pollMs?: number | undefined
}

/** What the messages for a key are signed with, in the form of Standard Webhooks. */
export type SecretOf = (keyId: string) => string

/** Each is made of the key's id and one secret of the appliance (HMAC-SHA256, RFC 2104), so that none is kept. */
export function openSigningSecrets(db: StateStore): SecretOf {
  const secret = keptSecret(db, "firecrawl")
  return (keyId) => `whsec_${createHmac("sha256", secret).update(keyId).digest("base64")}`
}

const POLL_MS = 1000
/** Receivers that are spoken to at the same time; each gets one message at a time. */
const RECEIVERS = 8

/** Tells of jobs for as long as the signal lets it. */
export async function followJobs(parts: FollowJobsParts, signal: AbortSignal): Promise<void> {
  const { outbox, log, pollMs = POLL_MS, mayTell = () => true } = parts
  const sending = new InTurn(RECEIVERS, (err) =>
    log.error({ err }, "a message about a job could not be sent"),
  )
  while (!signal.aborted) {
    try {
      const due = mayTell() ? outbox.due(Date.now(), sending.busy, sending.room, sending.served) : []
      for (const message of due) {
        sending.begin(message.receiver, () => deliver(message, parts, signal), message.key)
      }
    } catch (err) {
      // Of a state that is away readiness tells, not every try.
      if (!isStateAway(err)) log.error({ err }, "messages about jobs are tried again")
    }
    await pause(pollMs, signal)
  }
  await sending.ended()
}

async function deliver(message: JobMessage, parts: FollowJobsParts, signal: AbortSignal): Promise<void> {
  const { store, outbox, log } = parts
  const job = store.get(message.job)
  if (job === null) return
  const attempt: JobAttempt & { readonly reason?: string } = await attempted(message, job, parts, signal)
  // One that was cut short counts for nothing.
  if (signal.aborted && attempt.error !== null) return
  outbox.settle(message.id, attempt, Date.now())
  const { id, event } = message
  if (attempt.error !== null)
    log.warn({ id, event, error: attempt.reason ?? attempt.error }, "a message about a job was not taken")
}

async function attempted(
  message: JobMessage,
  job: FirecrawlJob,
  { store, keys, reach, receivers, secretOf }: FollowJobsParts,
  signal: AbortSignal,
): Promise<JobAttempt> {
  const { id, event, place, receiver } = message
  const key = keys.byId(job.owner.keyId)
  const refused = (error: string) => ({ error, status: null, final: true }) as const
  if (key === null) return refused("the key of the job is over")
  const document = place === null ? null : store.document(job.id, place)
  if (document !== null && key.role !== "admin") {
    const address = toPageUrl(document.url)
    // What a key may see can have become less since.
    if (address === null || !(await reach(key).addresses())(address))
      return refused("the key may no longer see this page")
  }
  const kind = job.request.kind === "crawl" ? "crawl" : "batch_scrape"
  const body = JSON.stringify({
    success: event !== "failed",
    type: `${kind}.${event}`,
    id: job.id,
    webhookId: id,
    data: document === null ? [] : [JSON.parse(document.text) as unknown],
    ...(event === "failed" && { error: job.error }),
    metadata: job.request.webhook?.metadata ?? {},
  })
  const secret = secretOf(key.id)
  const hex = createHmac("sha256", secret).update(body).digest("hex")
  const headers = { "x-firecrawl-signature": `sha256=${hex}` }
  const posted = await receivers.send(key.id, { id, url: receiver, secret, body, headers }, signal)
  return posted.kind === "delivered" ? { error: null, status: posted.status } : posted
}
