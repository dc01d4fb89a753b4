import type { Reach } from "../reach-fields.ts"

/** A declared provider of OpenID Connect (Core 1.0). */
export interface OidcSpec extends Reach {
  /** The issuer's name, as used in discovery. */
  readonly issuer: string
  readonly clientId: string
  /** The secret itself, which must never be shown; null for a public client, protected only by PKCE. */
  readonly clientSecret: string | null
  readonly scopes: readonly string[]
  /** Null for the e-mail address, if it is verified. */
  readonly userClaim: string | null
  /** Path to the claim; null for no groups. */
  readonly groupsClaim: readonly string[] | null
  /** The provider's names for services whose tokens are also accepted here; empty for none. */
  readonly acceptsTokensFor: readonly string[]
}
