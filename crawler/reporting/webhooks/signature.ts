import { createHmac } from "node:crypto"

/** The values that let a receiver distinguish between deliveries, and between ours and a forgery. */
export interface Signed {
  /** The id, which is the same for every attempt at one delivery. */
  readonly id: string
  /** The time of this attempt. */
  readonly at: Date
  readonly body: string
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com, "Signature scheme"): HMAC-SHA256 over
 * `id.timestamp.body`. The timestamp is signed too, so that a recorded message cannot be replayed later.
 *
 * @param secret base64 after the prefix `whsec_`, or any other text, whose UTF-8 bytes are the key; null leaves the
 * signature out
 */
export function webhookHeaders({ id, at, body }: Signed, secret: string | null): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    ...(secret !== null && {
      "webhook-signature": `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64")}`,
    }),
  }
}

const PREFIX = "whsec_"

function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret, "utf8")
}
