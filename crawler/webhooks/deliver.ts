import type { Logger } from "pino"
import { WebhookSender, type WebhookSenderOptions } from "./webhook-sender.ts"
import type { DueDelivery, WebhookQueue } from "./webhook-queue.ts"

export interface DeliverOptions extends WebhookSenderOptions {
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Makes attempts at deliveries, and records how they ended. */
export class Deliverer implements AsyncDisposable {
  readonly #queue: WebhookQueue
  readonly #options: DeliverOptions
  readonly #sender: WebhookSender

  constructor(queue: WebhookQueue, options: DeliverOptions) {
    this.#queue = queue
    this.#options = options
    this.#sender = new WebhookSender(options)
  }

  /** One attempt, and its end recorded; one that the signal cuts short counts for nothing. */
  async deliver(delivery: DueDelivery): Promise<void> {
    const { signal, log } = this.#options
    const { id, url } = delivery
    const posted = await this.#sender.send(delivery, signal)
    if (signal.aborted && posted.kind === "refused") return
    this.#queue.settle(id, posted)
    // The host alone: the rest of the address may be a secret.
    const { host } = new URL(url)
    if (posted.kind === "delivered") log.debug({ id, host }, "a webhook was delivered to {host}")
    else
      log.warn(
        { id, host, error: posted.reason ?? posted.error },
        "a webhook could not be delivered to {host}",
      )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sender[Symbol.asyncDispose]()
  }
}
