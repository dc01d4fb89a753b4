import { createHmac, timingSafeEqual } from "node:crypto"

import type { StateStore } from "#base/store/state-store.ts"

import { keptSecret } from "../../identity/accounts/human-ids.ts"

/** The secrets of a watch, known only to its owner and its receivers. */
export interface WatchSecrets {
  /** Signs its webhooks, in the form of Standard Webhooks. */
  signingSecret(watch: string): string
  /** Gives access to its feed: feed readers send no key. */
  feedToken(watch: string): string
  isFeedToken(watch: string, given: string): boolean
}

/** Each is derived from the id and one secret of the appliance (HMAC-SHA256, RFC 2104), so that none is stored. */
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
