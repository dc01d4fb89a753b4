import { createHmac, timingSafeEqual } from "node:crypto"

import type { StateStore } from "#base/store/state-store.ts"

import { keptSecret } from "../../identity/accounts/human-ids.ts"

/** The secrets of a watch, known only to its owner and its receivers. */
export interface WatchSecrets {
  /** Signs the watch's webhooks, in the format of Standard Webhooks. */
  signingSecret(watch: string): string
  /** Gives access to the watch's feed, because feed readers send no key. */
  feedToken(watch: string): string
  isFeedToken(watch: string, given: string): boolean
}

/** Each secret is derived from the watch's id and one secret of the appliance (HMAC-SHA256, RFC 2104), so that none is stored. */
export async function openWatchSecrets(db: StateStore): Promise<WatchSecrets> {
  const key = await keptSecret(db, "watches")
  const made = (use: string, watch: string) => createHmac("sha256", key).update(`${use}:${watch}`).digest()
  return {
    signingSecret: (watch) => `whsec_${made("webhook", watch).toString("base64")}`,
    feedToken: (watch) => made("feed", watch).toString("base64url"),
    isFeedToken(watch, given) {
      const right = made("feed", watch)
      const presented = Buffer.from(given, "base64url")
      return presented.byteLength === right.byteLength && timingSafeEqual(presented, right)
    },
  }
}
