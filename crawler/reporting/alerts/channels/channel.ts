import type { Message } from "#base/work/outbox.ts"
import type { Attempt } from "#base/work/retries.ts"
import type { AlertConfig } from "../../../alert-settings.ts"
import type { ProxySettings } from "../../../fetch/connect/outgoing-proxy.ts"
import type { Notice } from "../alert-messages.ts"

/** A notice to one receiver. */
export type ChannelMessage = Notice & Pick<Message, "id" | "receiver" | "createdAt">

export interface ChannelParts {
  readonly config: AlertConfig & ProxySettings & { readonly webhookNetworks: readonly string[] }
  readonly userAgent: string
  /** Where secrets that are named `${NAME}` are. */
  readonly env: NodeJS.ProcessEnv
}

export interface AlertSender extends AsyncDisposable {
  /** One attempt. Never rejects, and no error holds a secret. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<Attempt>
}

/** A way by which the operator gets alerts. */
export interface AlertChannel {
  /** In answers of the API, and in the table of messages. */
  readonly name: string
  /** In the log and on the command line. */
  readonly called: {
    readonly way: string
    readonly one: string
    readonly many: string
    readonly server: string
  }
  /** The settings to look at when messages are not taken. */
  readonly settings: string
  /** Whose queue its messages wait in: that of alerts, or the one that webhooks of sources share. */
  readonly queue: "alerts" | "webhooks"
  /** Addresses that alerts go to; none: the channel is off. */
  readonly receivers: (config: AlertConfig) => readonly string[]
  /** The form of an address that people are shown; the address itself may hold a secret. */
  readonly shown: (receiver: string) => string
  /** Problems with its settings, for people. */
  readonly problems: (config: AlertConfig) => readonly string[]
  /** Whether messages can be sent; while they cannot, they wait. */
  readonly isReady: (config: AlertConfig) => boolean
  /** Called with the first message. */
  readonly open: (parts: ChannelParts) => Promise<AlertSender>
}
