import type { Logger } from "pino"
import { followOutbox } from "#base/work/follow-outbox.ts"
import { alertProblems } from "../../alert-settings.ts"
import type { AlertBook } from "./alert-book.ts"
import type { AlertChannel, AlertSender, ChannelParts } from "./channels/channel.ts"
import { type ChannelName, QUEUED_CHANNELS } from "./channels/registry.ts"

export interface FollowAlertsOptions extends ChannelParts {
  readonly book: AlertBook
  /** Names of the sources that are declared. */
  readonly declared: () => Promise<readonly string[]>
  readonly log: Logger
  readonly signal: AbortSignal
  /** Milliseconds between checks. Default one second. */
  readonly pollMs?: number
}

/**
 * Finds failing sources and backups and sends the alerts, one message at a time per channel, until the signal is
 * aborted. Nothing else has to wait for this; followWebhooks sends the alerts to webhooks.
 */
export async function followAlerts(options: FollowAlertsOptions): Promise<void> {
  for (const problem of alertProblems(options.config)) options.log.error(problem)
  await Promise.all(QUEUED_CHANNELS.map((channel) => followChannel(channel, options)))
}

async function followChannel(
  channel: AlertChannel & { readonly name: ChannelName },
  options: FollowAlertsOptions,
): Promise<void> {
  const { book, config, declared, log, signal, pollMs } = options
  const { way } = channel.called
  await using close = new AsyncDisposableStack()
  let sender: AlertSender | null = null
  await followOutbox({
    outbox: book.outbox(channel.name),
    called: ["an alert", "alerts"],
    receivers: 1,
    isBrisk: true,
    // The first channel to check collects for all channels.
    async collect() {
      if (await book.hasNotes()) await book.collect(config)
    },
    tidy: async () => await book.prune(await declared()),
    maySend: async () => channel.isReady(config),
    async attempt(message) {
      sender ??= close.use(await channel.open(options))
      return await sender.send(message, signal)
    },
    async onSettled({ id, subject }, attempt) {
      if (attempt.error === null) log.info({ id, subject }, `alert sent by ${way}`)
      else log.warn({ id, error: attempt.reason ?? attempt.error }, `alert not sent by ${way}`)
    },
    log,
    signal,
    pollMs,
  })
}
