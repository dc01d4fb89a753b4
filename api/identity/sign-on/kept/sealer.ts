import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

import type { StateStore } from "#base/store/state-store.ts"

import { keptSecret } from "../../accounts/human-ids.ts"

/** Creates and opens text that only this appliance can read and create (AES-256-GCM, NIST SP 800-38D). */
export interface Sealer {
  /** @param use the purpose of the data, which can't be opened for any other purpose */
  seal(use: string, text: string): string
  /** Opens sealed data; null if it wasn't sealed here, or was sealed for another use. */
  open(use: string, sealed: string): string | null
}

const CIPHER = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** Uses a key stored in the state, so that all processes of an appliance can open data that one of them sealed. */
export async function openSealer(db: StateStore): Promise<Sealer> {
  const secret = await keptSecret(db, "sign-on")
  const key = Buffer.from(hkdfSync("sha256", secret, new Uint8Array(), "sign-on", KEY_BYTES))
  return {
    seal(use, text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(use))
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")
    },
    open(use, sealed) {
      const bytes = Buffer.from(sealed, "base64url")
      if (bytes.byteLength < NONCE_BYTES + TAG_BYTES) return null
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      }).setAAD(Buffer.from(use))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([body, decipher.final()]).toString()
      } catch {
        return null
      }
    },
  }
}
