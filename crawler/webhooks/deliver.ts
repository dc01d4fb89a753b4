import type { Logger } from "pino"
import { AddressGuard } from "../fetch/guard/address-guard.ts"
import { OutgoingProxy, type ProxySettings } from "../fetch/connect/outgoing-proxy.ts"
import { post } from "./post.ts"
import { signingSecret } from "#base/secret.ts"
import { webhookHeaders } from "./signature.ts"
import type { DueDelivery, WebhookQueue } from "./webhook-queue.ts"

export interface DeliverOptions {
  /** Private networks that receivers may be in. */
  readonly networks: readonly string[]
  /** Default: receivers are reached directly. */
  readonly proxy?: ProxySettings
  readonly userAgent: string
  /** Where secrets that are named `${NAME}` are. */
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
  readonly signal: AbortSignal
}

const TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5000

/** Makes attempts at deliveries, through an address guard of its own. */
export class Deliverer implements AsyncDisposable {
  readonly #queue: WebhookQueue
  readonly #options: DeliverOptions
  readonly #guard: AddressGuard

  constructor(queue: WebhookQueue, options: DeliverOptions) {
    this.#queue = queue
    this.#options = options
    this.#guard = new AddressGuard({
      allowed: options.networks,
      allowedBy: "FOSSICK_WEBHOOK_NETWORKS",
      proxy: OutgoingProxy.of(options.proxy),
      connections: 1,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    })
  }

  /** One attempt, and its end recorded; one that the signal cuts short counts for nothing. */
  async deliver({ id, url, secret, body }: DueDelivery): Promise<void> {
    const { env, userAgent, signal, log } = this.#options
    let headers
    try {
      const key = secret === null ? null : signingSecret(secret, env)
      headers = { "user-agent": userAgent, ...webhookHeaders({ id, at: new Date(), body }, key) }
    } catch (error) {
      const { message } = error as Error
      this.#queue.settle(id, {
        kind: "refused",
        status: null,
        error: message,
        retryAfterMs: null,
        final: false,
      })
      return
    }
    const posted = await post(url, headers, body, { guard: this.#guard, timeoutMs: TIMEOUT_MS, signal })
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
    await this.#guard[Symbol.asyncDispose]()
  }
}
