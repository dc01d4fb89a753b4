import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { type AlertConfig, alertProblems } from "../alert-settings.ts"
import type { ProxySettings } from "../fetch/connect/outgoing-proxy.ts"
import { webhookMessage } from "../webhooks/messages.ts"
import { WebhookSender } from "../webhooks/webhook-sender.ts"
import { sendMail } from "./send-mail.ts"

/** What became of one test message. */
export interface TestedReceiver {
  readonly by: "email" | "webhook"
  /** The recipient, or the host of the webhook: the rest of its address may be a secret. */
  readonly to: string
  /** Null: it was taken. */
  readonly error: string | null
  /** What the operator of the machine alone is told, where that is more. */
  readonly reason: string | null
}

export interface TestAlertsOptions {
  readonly config: AlertConfig & ProxySettings & { readonly webhookNetworks: readonly string[] }
  readonly userAgent: string
  /** Where secrets that are named `${NAME}` are. */
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** Told where there is nobody to send to. */
export const NO_RECEIVERS =
  "No receiver of alerts is set: FOSSICK_ALERT_EMAIL and FOSSICK_SMTP_URL, or FOSSICK_ALERT_WEBHOOK"

/**
 * Sends a message to every recipient of e-mails and to `FOSSICK_ALERT_WEBHOOK`, once, now and all at the same time. What is
 * not taken is not tried again. Takes a minute and a half at most, when a mail server says nothing.
 * @returns an empty list where none is set.
 */
export async function testAlerts(options: TestAlertsOptions): Promise<TestedReceiver[]> {
  const { alertEmail, alertWebhook } = options.config
  const webhook = alertWebhook === "" ? [] : [testWebhook(options)]
  return await Promise.all([...alertEmail.map((one) => testMail(one, options)), ...webhook])
}

async function testMail(to: string, { config, env, signal }: TestAlertsOptions): Promise<TestedReceiver> {
  const [problem] = alertProblems(config)
  const { error } =
    problem === undefined
      ? await sendMail(
          {
            id: randomUUID(),
            receiver: to,
            subject: "[Fossick] A test of alerts",
            text: `Nothing is wrong: somebody asked for this message, to see that alerts arrive.\n\n-- \nFossick on ${hostname()}`,
            createdAt: new Date(),
          },
          { config, env, signal },
        )
      : { error: problem }
  return { by: "email", to, error, reason: null }
}

async function testWebhook({ config, userAgent, env, signal }: TestAlertsOptions): Promise<TestedReceiver> {
  const { alertWebhook: url, alertWebhookSecret, webhookNetworks: networks } = config
  await using sender = new WebhookSender({ networks, proxy: config, userAgent, env })
  const message = {
    id: randomUUID(),
    receiver: url,
    secret: alertWebhookSecret === "" ? null : alertWebhookSecret,
    body: webhookMessage("alert.test", new Date(), { host: hostname() }),
  }
  const ended = await sender.send(message, signal)
  const reason = ended.error === null ? null : (ended.reason ?? null)
  return { by: "webhook", to: new URL(url).host, error: ended.error, reason }
}
