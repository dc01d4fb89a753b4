import { email } from "./email.ts"
import { ntfy } from "./ntfy.ts"
import { webhook } from "./webhook.ts"

/** All channels for alerts, in the order in which they are shown. */
export const CHANNELS = [email, ntfy, webhook] as const

export type ChannelName = (typeof CHANNELS)[number]["name"]

/** The channels whose messages wait in the queue of alerts. */
export const QUEUED_CHANNELS = CHANNELS.filter(({ queue }) => queue === "alerts")

/** Channels for short messages on screens: neither e-mail nor webhooks. */
export const NOTIFYING = QUEUED_CHANNELS.map(({ name }) => name).filter((name) => name !== "email")
