import type { Logger } from "pino"

import type { DiskRoom } from "#base/disk-space.ts"
import type { LivingProcess } from "#base/store/processes/keep-alive.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Values } from "#base/settings.ts"
import { TimeGuard } from "#base/store/clock/trusted-time.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import { KeyReceivers, type KeyReceiversOptions } from "../../identity/accounts/reach/key-receivers.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import type { ChatModel } from "../../services/chat-models/chat-model.ts"
import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"
import { followJobs, openSigningSecrets, type SecretOf } from "./webhooks/follow-jobs.ts"
import { JobOutbox } from "./webhooks/job-outbox.ts"
import { JobRunner } from "./jobs/job-runner.ts"
import { JobStore } from "./jobs/job-store.ts"
import type { firecrawlSettings } from "./settings.ts"

/** The name that one of several processes claims, so that only that process notifies receivers. */
const TELLER = "firecrawl-teller"

/** The jobs and their storage. The process opens and closes them itself, because they must be closed before its connection. */
export interface FirecrawlJobs extends AsyncDisposable {
  readonly store: JobStore
  readonly secretOf: SecretOf
  /**
   * Starts work on jobs and their notifications.
   * @param reach what a key may see
   */
  start(reach: (key: ApiKey) => Reach): JobRunner
}

/**
 * Storage and worker for the jobs of Firecrawl's API.
 * @param db the connection that the accounts use for writes
 */
export async function openFirecrawlJobs(
  db: StateStore,
  config: Values<typeof firecrawlSettings>,
  parts: {
    readonly accounts: Pick<Accounts, "keys" | "billing" | "writes" | "kept">
    readonly knowledge: PageKnowledge
    readonly chatModel: ChatModel | null
    /** How receivers are reached. */
    readonly sending: KeyReceiversOptions["sending"]
    readonly userAgent: string
    /** The disk where documents are stored; not checked if left out. */
    readonly room?: Pick<DiskRoom, "isLow">
    /** This process among those that share the state. By default it is the only one. */
    readonly process?: LivingProcess
    readonly log: Logger
    /** Milliseconds between checks for messages to send. Default one second. */
    readonly pollMs?: number
    /** Milliseconds that a job runs before the next job gets its turn. Default half a minute. */
    readonly turnMs?: number
  },
): Promise<FirecrawlJobs> {
  const { keys, billing, writes, kept } = parts.accounts
  const store = new JobStore(db, writes, config.crawlJobsMb * 1_000_000, kept, parts.process?.id)
  const outbox = new JobOutbox(db)
  const secretOf = await openSigningSecrets(db)
  const stop = new AbortController()
  let runner: JobRunner | undefined
  let telling: Promise<void> | undefined
  return {
    store,
    secretOf,
    start(reach) {
      runner = new JobRunner({
        store,
        keys,
        billing,
        writes,
        parts,
        reach,
        room: parts.room,
        guard: new TimeGuard(db),
        log: parts.log,
        turnMs: parts.turnMs,
      })
      runner.start()
      const { log, pollMs, sending, userAgent, process } = parts
      const mayTell = async () => (await process?.take(TELLER)) ?? true
      const { signal } = stop
      const tell = async () => {
        await using receivers = new KeyReceivers({ keys, sending, userAgent })
        await followJobs({ store, outbox, keys, reach, receivers, secretOf, log, pollMs, mayTell }, signal)
      }
      telling = tell()
      return runner
    },
    async [Symbol.asyncDispose]() {
      await runner?.[Symbol.asyncDispose]()
      stop.abort()
      await telling
    },
  }
}
