import type { Message } from "#base/work/outbox.ts"
import type { Attempt } from "#base/work/retries.ts"
import type { AlertConfig } from "../../../alert-settings.ts"
import type { ProxySettings } from "../../../fetch/connect/outgoing-proxy.ts"
import type { Notice } from "../alert-messages.ts"

/** A message to one receiver. */
export type ChannelMessage = Notice & Pick<Message, "id" | "receiver" | "createdAt">

export interface ChannelParts {
  readonly config: AlertConfig & ProxySettings & { readonly webhookNetworks: readonly string[] }
  readonly userAgent: string
  /** Where to look up secrets named `${NAME}`. */
  readonly env: NodeJS.ProcessEnv
}

export interface AlertSender extends AsyncDisposable {
  /** Makes one attempt. Never rejects, and no error contains a secret. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<Attempt>
}

/** A way for the operator to receive alerts. */
export interface AlertChannel {
  /** The name in API responses, and in the table of messages. */
  readonly name: string
  /** The names in the log and on the command line. */
  readonly called: {
    readonly way: string
    readonly one: string
    readonly server: string
  }
  /** The settings to check when messages are not accepted. */
  readonly settings: string
  /** The queue that the channel's messages wait in: the one for alerts, or the one shared with the webhooks of sources. */
  readonly queue: "alerts" | "webhooks"
  /** The addresses that receive alerts; if empty, the channel is off. */
  readonly receivers: (config: AlertConfig) => readonly string[]
  /** The form of an address that is shown to people, because the address itself can contain a secret. */
  readonly shown: (receiver: string) => string
  /** Problems with the channel's settings, for people. */
  readonly problems: (config: AlertConfig) => readonly string[]
  /** Whether messages can be sent; while this is false, they wait. */
  readonly isReady: (config: AlertConfig) => boolean
  /** Loads the sender. Called for the first message. */
  readonly open: (parts: ChannelParts) => Promise<AlertSender>
}
