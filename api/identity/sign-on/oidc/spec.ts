import type { Reach } from "../reach-fields.ts"

/** A declared OpenID Connect provider (Core 1.0). */
export interface OidcSpec extends Reach {
  /** The issuer's name, which is also the address for discovery. */
  readonly issuer: string
  readonly clientId: string
  /** The secret itself, which must never be shown; null for a public client, protected only by PKCE. */
  readonly clientSecret: string | null
  readonly scopes: readonly string[]
  /** Path to the claim with the user's name; null for the e-mail address, if it is verified. */
  readonly userClaim: string | null
  /** Path to the claim with the person's groups; null for no groups. */
  readonly groupsClaim: readonly string[] | null
  /** The provider's names for services whose tokens are also accepted here; empty for none. */
  readonly acceptsTokensFor: readonly string[]
}
