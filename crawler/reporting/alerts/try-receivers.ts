import { randomUUID } from "node:crypto"
import type { AlertChannel, ChannelParts } from "./channels/channel.ts"
import { type ChannelName, CHANNELS } from "./channels/registry.ts"
import { testNotice } from "./alert-messages.ts"

/** The result of one test message. */
export interface TestedReceiver {
  readonly by: ChannelName
  /** The receiver, in the form shown to people. */
  readonly to: string
  /** Null when the message was accepted. */
  readonly error: string | null
  /** Further details for the operator of the machine only, if there are any. */
  readonly reason: string | null
}

export interface TestAlertsOptions extends ChannelParts {
  readonly signal: AbortSignal
}

/** The message shown when there are no receivers. */
export const NO_RECEIVERS =
  "Alerts have no recipient. Set FOSSICK_ALERT_EMAIL and FOSSICK_SMTP_URL, FOSSICK_ALERT_NTFY, or FOSSICK_ALERT_WEBHOOK"

/**
 * Sends one message to every receiver in the settings, all at the same time. Failed messages are not retried. Takes up
 * to a minute and a half if a mail server does not answer.
 * @returns an empty list if no receiver is set
 */
export async function testAlerts(options: TestAlertsOptions): Promise<TestedReceiver[]> {
  return await Promise.all(
    CHANNELS.flatMap((channel) =>
      channel.receivers(options.config).map((one) => testOne(channel, one, options)),
    ),
  )
}

async function testOne(
  { name, problems, shown, open }: AlertChannel & { readonly name: ChannelName },
  receiver: string,
  options: TestAlertsOptions,
): Promise<TestedReceiver> {
  const tested = { by: name, to: shown(receiver) }
  const [problem] = problems(options.config)
  if (problem !== undefined) return { ...tested, error: problem, reason: null }
  await using sender = await open(options)
  const message = { ...testNotice(), id: `msg_${randomUUID()}`, receiver, createdAt: new Date() }
  const { error, reason = null } = { reason: undefined, ...(await sender.send(message, options.signal)) }
  return { ...tested, error, reason }
}
