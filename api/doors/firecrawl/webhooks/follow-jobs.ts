import { createHmac } from "node:crypto"

import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"
import { followOutbox } from "#base/work/follow-outbox.ts"
import type { Attempt } from "#base/work/retries.ts"
import { toPageUrl } from "#engine"

import { keptSecret } from "../../../identity/accounts/human-ids.ts"
import type { ApiKey, KeyStore } from "../../../identity/accounts/keys/keys.ts"
import type { KeyReceivers } from "../../../identity/accounts/reach/key-receivers.ts"
import type { Reach } from "../../../identity/accounts/reach/reach.ts"
import type { JobStore } from "../jobs/job-store.ts"
import type { JobMessage, JobOutbox } from "./job-outbox.ts"

export interface FollowJobsParts {
  /** Whether this process sends the messages. Default: yes. */
  readonly mayTell?: () => Promise<boolean>
  readonly store: Pick<JobStore, "get" | "document">
  readonly outbox: JobOutbox
  readonly keys: Pick<KeyStore, "byId">
  readonly reach: (key: ApiKey) => Pick<Reach, "addresses">
  readonly receivers: KeyReceivers
  readonly secretOf: SecretOf
  readonly log: Logger
  /** Milliseconds between checks for messages. Default one second. */
  readonly pollMs?: number | undefined
}

/** The secret that signs the messages for a key, in the format of Standard Webhooks. */
export type SecretOf = (keyId: string) => string

/** Each secret is derived from the key's id and one secret of the appliance (HMAC-SHA256, RFC 2104), so none has to be stored. */
export async function openSigningSecrets(db: StateStore): Promise<SecretOf> {
  const secret = await keptSecret(db, "firecrawl")
  return (keyId) => `whsec_${createHmac("sha256", secret).update(keyId).digest("base64")}`
}

/** Notifies receivers about jobs until the signal is aborted. */
export async function followJobs(parts: FollowJobsParts, signal: AbortSignal): Promise<void> {
  const { outbox, mayTell, log, pollMs } = parts
  await followOutbox({
    outbox,
    called: ["a message about a job", "messages about jobs"],
    maySend: mayTell,
    attempt: (message) => attempted(message, parts, signal),
    async onSettled({ id, event }, attempt) {
      if (attempt.error !== null)
        log.warn(
          { id, event, error: attempt.reason ?? attempt.error },
          "a message about a job was not accepted",
        )
    },
    log,
    signal,
    pollMs,
  })
}

async function attempted(
  message: JobMessage,
  { store, keys, reach, receivers, secretOf }: FollowJobsParts,
  signal: AbortSignal,
): Promise<Attempt | null> {
  const { id, event, place, receiver } = message
  const job = await store.get(message.job)
  if (job === null) return null
  const key = await keys.byId(job.owner.keyId)
  const refused = (error: string) => ({ error, status: null, final: true }) as const
  if (key === null) return refused("the job's key is no longer valid")
  const document = place === null ? null : await store.document(job.id, place)
  if (document !== null && key.role !== "admin") {
    const address = toPageUrl(document.url)
    // The key might be allowed to see less now than when the job ran.
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
  return await receivers.send(key.id, { id, receiver, secret, body, headers }, signal)
}
