import { webhookMessage } from "../../webhooks/webhook-messages.ts"
import type { AlertChannel } from "./channel.ts"

/** The webhook from the settings. Alerts are sent to it through the queue of all webhooks, where an admin sees them and can send them again. */
export const webhook = {
  name: "webhook",
  called: { way: "webhook", one: "webhook", server: "a receiver" },
  settings: "FOSSICK_ALERT_WEBHOOK",
  queue: "webhooks",
  receivers: ({ alertWebhook }) => (alertWebhook === "" ? [] : [alertWebhook]),
  shown: (receiver) => new URL(receiver).host,
  problems: () => [],
  isReady: () => true,
  async open({ config, userAgent, env }) {
    const { WebhookSender } = await import("../../webhooks/webhook-sender.ts")
    const { alertWebhookSecret, webhookNetworks: networks } = config
    const sender = new WebhookSender({ networks, proxy: config, userAgent, env })
    return {
      async send({ id, receiver, type, createdAt, data }, signal) {
        const secret = alertWebhookSecret === "" ? null : alertWebhookSecret
        return await sender.send(
          { id, receiver, secret, body: webhookMessage(type, createdAt, data) },
          signal,
        )
      },
      [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
    }
  },
} as const satisfies AlertChannel
