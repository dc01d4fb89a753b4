import { apiKey, type ApiKey, type CreditLimit } from "../keys/keys.ts"
import { UNLIMITED } from "../keys/key-scope.ts"
import type { RateLimits } from "../rates/rate-limits.ts"

/** The limits of a public key. */
export interface PublicKeySpec {
  /** The name its maker gave it; empty if none. */
  readonly name: string
  /** The only source whose pages the key may find; null if the key has a collection. */
  readonly source: string | null
  readonly collection: string | null
  /** Origins of the web pages that may use it (RFC 6454, section 6.2), such as `https://docs.example.com`. */
  readonly origins: readonly string[]
  /** Whether it may ask for answers. */
  readonly answers: boolean
  /** Rate limits for calls from each address, overriding the settings; null if the settings apply. */
  readonly rateLimits: RateLimits | null
  /** Credits for all its callers together in a calendar month (UTC); null for no limit. */
  readonly credits: number | null
}

/** A key in the source of web pages, for everyone to read. */
export interface PublicKey extends PublicKeySpec {
  readonly id: string
  /** The key itself, which isn't secret. */
  readonly text: string
  readonly createdAt: Date
  /** When it was disabled; null if it isn't. */
  readonly disabledAt: Date | null
}

/** Prefix of every public key. No other key has it. */
export const PUBLIC_PREFIX = "fsk-pub-"

export const isPublicText = (text: string): boolean => text.startsWith(PUBLIC_PREFIX)

/** The key behind an admitted public key: it may search one source, and nothing else. */
export function asApiKey({ id, text, source, collection, credits }: PublicKey): ApiKey {
  const creditLimit: CreditLimit | null = credits === null ? null : { credits, per: "month" }
  return apiKey({
    id,
    role: "search",
    hint: text.slice(-4),
    // A key that has neither a source nor a collection sees nothing: an empty list allows nothing.
    scope: {
      ...UNLIMITED,
      endpoints: ["search"],
      sources: source === null ? [] : [source],
      collections: collection === null ? null : [collection],
    },
    creditLimit,
  })
}
