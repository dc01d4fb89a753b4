import { signingSecret } from "#base/secret.ts"
import type { ProxySettings } from "../../fetch/connect/outgoing-proxy.ts"
import type { AddressGuard } from "../../fetch/guard/address-guard.ts"
import type { Attempt } from "#base/work/retries.ts"
import { post, receiverGuard } from "./delivery-attempt.ts"
import { webhookHeaders } from "./signature.ts"

export interface WebhookSenderOptions {
  /** Private networks that receivers may be in. */
  readonly networks: readonly string[]
  /** Default: receivers are reached directly. */
  readonly proxy?: ProxySettings
  readonly userAgent: string
  /** Where to look up secrets named `${NAME}`. */
  readonly env: NodeJS.ProcessEnv
}

/** A message and its receiver. */
export interface WebhookMessage {
  readonly id: string
  readonly receiver: string
  /** The secret as given by the caller: a reference is resolved here. */
  readonly secret: string | null
  readonly body: string
  /** Headers besides those of Standard Webhooks. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs messages and sends them, through the sender's own address guard. */
export class WebhookSender implements AsyncDisposable {
  readonly #options: WebhookSenderOptions
  readonly #guard: AddressGuard

  constructor(options: WebhookSenderOptions) {
    this.#options = options
    this.#guard = receiverGuard(options)
  }

  /** Makes one attempt. Never rejects. */
  async send(
    { id, receiver, secret, body, headers: further }: WebhookMessage,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { env, userAgent } = this.#options
    let headers
    try {
      const key = secret === null ? null : signingSecret(secret, env)
      headers = { ...further, "user-agent": userAgent, ...webhookHeaders({ id, at: new Date(), body }, key) }
    } catch (error) {
      const { message } = error as Error
      return { status: null, error: message, final: false }
    }
    return await post(receiver, headers, body, { guard: this.#guard, signal })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#guard[Symbol.asyncDispose]()
  }
}
