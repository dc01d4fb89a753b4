import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import type { Attempt } from "#base/work/retries.ts"
import type { WebhookMessage, WebhookSender } from "#crawler/reporting/webhooks/webhook-sender.ts"

import type { KeyStore } from "../keys/keys.ts"

export interface KeyReceiversOptions {
  readonly keys: Pick<KeyStore, "byId">
  /** `FOSSICK_WEBHOOK_NETWORKS` and the proxy, as in the crawler. */
  readonly sending: ProxySettings & { readonly webhookNetworks: readonly string[] }
  readonly userAgent: string
}

/** Sends webhooks for keys. Only requests for the operator's own keys may use the private networks that the operator allowed. */
export class KeyReceivers implements AsyncDisposable {
  readonly #options: KeyReceiversOptions
  readonly #senders = new Map<"any" | "public", Promise<WebhookSender>>()

  constructor(options: KeyReceiversOptions) {
    this.#options = options
  }

  /** Makes one attempt to send a message. */
  async send(keyId: string, message: WebhookMessage, signal: AbortSignal): Promise<Attempt> {
    const isOperator = (await this.#options.keys.byId(keyId))?.role === "admin"
    const sender = await this.#sender(isOperator ? "any" : "public")
    return await sender.send(message, signal)
  }

  /** Loaded when the first message is sent: most appliances send none. */
  #sender(reach: "any" | "public"): Promise<WebhookSender> {
    const known = this.#senders.get(reach)
    if (known !== undefined) return known
    const { sending, userAgent } = this.#options
    const networks = reach === "any" ? sending.webhookNetworks : []
    const made = import("#crawler/reporting/webhooks/webhook-sender.ts").then(
      (module) => new module.WebhookSender({ networks, proxy: sending, userAgent, env: {} }),
    )
    this.#senders.set(reach, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sender of this.#senders.values()) await (await sender)[Symbol.asyncDispose]()
  }
}
