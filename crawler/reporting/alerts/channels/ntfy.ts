import { resolveSecret } from "#base/secret.ts"
import { ntfyProblems } from "../../../alert-settings.ts"
import type { Notice } from "../alert-messages.ts"
import type { AlertChannel, ChannelMessage } from "./channel.ts"

// Notifications on phones: docs.ntfy.sh/publish, "Publish as JSON". Unlike headers, JSON supports titles in any script.

/** The maximum message length: by default ntfy turns longer messages into attachments, which many servers do not accept. */
const MAX_MESSAGE_BYTES = 4096

/** How a notification looks: its priority from 1 to 5, where 3 is ntfy's default, and its tags, which are names of emoji. */
const LOOKS: Readonly<
  Record<Notice["type"], { readonly priority: number; readonly tags: readonly string[] }>
> = {
  "alert.began": { priority: 4, tags: ["warning"] },
  "alert.ended": { priority: 3, tags: ["white_check_mark"] },
  "alert.test": { priority: 3, tags: ["wave"] },
}

export const ntfy = {
  name: "ntfy",
  called: { way: "ntfy", one: "notification", server: "an ntfy server" },
  settings: "FOSSICK_ALERT_NTFY and FOSSICK_ALERT_NTFY_TOKEN",
  queue: "alerts",
  // Only the host is stored and shown: anyone who knows the topic can read it.
  receivers: ({ alertNtfy }) => (alertNtfy === "" ? [] : [new URL(alertNtfy).host]),
  shown: (receiver) => receiver,
  problems: ntfyProblems,
  isReady: (config) => config.alertNtfy !== "" && ntfyProblems(config).length === 0,
  async open({ config, userAgent, env }) {
    const { post, receiverGuard } = await import("../../webhooks/delivery-attempt.ts")
    const guard = receiverGuard({ networks: config.webhookNetworks, proxy: config })
    return {
      async send(message, signal) {
        const address = new URL(config.alertNtfy)
        if (address.host !== message.receiver)
          return { error: "FOSSICK_ALERT_NTFY now points to another server", status: null, final: true }
        const headers: Record<string, string> = { "user-agent": userAgent, "x-sequence-id": message.id }
        try {
          if (config.alertNtfyToken !== "")
            headers["authorization"] = `Bearer ${resolveSecret(config.alertNtfyToken, env)}`
        } catch (error) {
          return { error: (error as Error).message, status: null, final: false }
        }
        // Messages in JSON are sent to the server's address, not to the topic's.
        const { href: server } = new URL(".", address)
        const topic = address.pathname.split("/").at(-1)
        const body = JSON.stringify({ topic, ...notification(message) })
        return await post(server, headers, body, { guard, signal })
      },
      [Symbol.asyncDispose]: () => guard[Symbol.asyncDispose](),
    }
  },
} as const satisfies AlertChannel

const notification = ({ type, subject, text }: ChannelMessage) => ({
  title: subject,
  message: cut(text),
  ...LOOKS[type],
})

/** Shortens a text to fit into a message, without splitting a character at its end. */
function cut(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_MESSAGE_BYTES) return text
  return new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE_BYTES), { stream: true })
}
