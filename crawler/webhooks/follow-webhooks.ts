import type { Logger } from "pino"
import { steadyNow } from "#base/steady-time.ts"
import type { DueDelivery, WebhookQueue } from "./webhook-queue.ts"
import type { DeliverOptions } from "./deliver.ts"
import { InTurn } from "./in-turn.ts"
import { pause } from "#base/flow/pause.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

const POLL_MS = 1000
/** Receivers that are spoken to at the same time; each gets one message at a time. */
const RECEIVERS = 8
const PRUNE_EVERY_MS = 3_600_000

export interface FollowWebhooksOptions extends Omit<DeliverOptions, "signal"> {
  readonly queue: WebhookQueue
  readonly log: Logger
  readonly signal: AbortSignal
  /** Milliseconds between two looks at the queue. Default one second. */
  readonly pollMs?: number
}

/**
 * Sends what is due for as long as the signal lets it, beside whatever else the process does. A receiver that is slow
 * holds up none but itself.
 */
export async function followWebhooks(options: FollowWebhooksOptions): Promise<void> {
  const { queue, log, signal, pollMs = POLL_MS } = options
  const sending = new InTurn(RECEIVERS, (err) => log.error({ err }, "a webhook could not be sent"))
  let pruned = 0
  let deliver: ((delivery: DueDelivery) => Promise<void>) | null = null
  const close = new AsyncDisposableStack()
  while (!signal.aborted) {
    try {
      if (queue.hasNotes()) queue.collect()
      if (steadyNow() - pruned > PRUNE_EVERY_MS) {
        queue.prune()
        pruned = steadyNow()
      }
      for (const delivery of queue.due(sending.busy, sending.room)) {
        // Loaded with the first message: most appliances send none, and a small process stays small.
        if (deliver === null) {
          const { Deliverer } = await import("./deliver.ts")
          const deliverer = close.use(new Deliverer(queue, options))
          deliver = (one) => deliverer.deliver(one)
        }
        const send = deliver
        sending.begin(delivery.url, () => send(delivery))
      }
    } catch (error) {
      // Of a state that is away the process tells.
      if (!isStateAway(error)) log.error({ err: error }, "webhooks are tried again")
    }
    await pause(pollMs, signal)
  }
  await sending.ended()
  await close.disposeAsync()
}
