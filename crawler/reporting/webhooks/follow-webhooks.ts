import { followOutbox, type FollowOptions } from "#base/work/follow-outbox.ts"
import type { WebhookQueue } from "./webhook-queue.ts"
import type { WebhookSender, WebhookSenderOptions } from "./webhook-sender.ts"

export interface FollowWebhooksOptions
  extends WebhookSenderOptions, Pick<FollowOptions<unknown>, "log" | "signal" | "pollMs"> {
  readonly queue: WebhookQueue
}

/** Makes messages from the recorded events and sends them, until the signal is aborted. */
export async function followWebhooks(options: FollowWebhooksOptions): Promise<void> {
  const { queue, log, signal, pollMs } = options
  await using close = new AsyncDisposableStack()
  let sender: WebhookSender | null = null
  await followOutbox({
    outbox: queue,
    called: ["a webhook", "webhooks"],
    async collect() {
      if (await queue.hasNotes()) await queue.collect()
    },
    async attempt(delivery) {
      // Loaded on the first message, because most appliances send none and a small process should stay small.
      const { WebhookSender } = await import("./webhook-sender.ts")
      sender ??= close.use(new WebhookSender(options))
      return await sender.send(delivery, signal)
    },
    async onSettled({ id, receiver }, attempt) {
      // Only the host is logged, because the rest of the address may be a secret.
      const { host } = new URL(receiver)
      if (attempt.error === null) log.debug({ id, host }, "a webhook was delivered to {host}")
      else
        log.warn(
          { id, host, error: attempt.reason ?? attempt.error },
          "a webhook could not be delivered to {host}",
        )
    },
    log,
    signal,
    pollMs,
  })
}
