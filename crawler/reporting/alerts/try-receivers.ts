import { randomUUID } from "node:crypto"
import type { AlertChannel, ChannelParts } from "./channels/channel.ts"
import { type ChannelName, CHANNELS } from "./channels/registry.ts"
import { testNotice } from "./alert-messages.ts"

/** What became of one test message. */
export interface TestedReceiver {
  readonly by: ChannelName
  /** The receiver, as people are shown it. */
  readonly to: string
  /** Null: it was taken. */
  readonly error: string | null
  /** What the operator of the machine alone is told, where that is more. */
  readonly reason: string | null
}

export interface TestAlertsOptions extends ChannelParts {
  readonly signal: AbortSignal
}

/** Told where there is nobody to send to. */
export const NO_RECEIVERS =
  "No receiver of alerts is set: FOSSICK_ALERT_EMAIL and FOSSICK_SMTP_URL, FOSSICK_ALERT_NTFY, or FOSSICK_ALERT_WEBHOOK"

/**
 * Sends a message to every receiver that the settings name, once, now and all at the same time. What is not taken is not tried again.
 * Takes a minute and a half at most, when a mail server says nothing.
 * @returns an empty list where none is set.
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
