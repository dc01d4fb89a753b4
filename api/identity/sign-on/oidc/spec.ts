import type { Reach } from "../reach-fields.ts"

/** A provider of OpenID Connect (Core 1.0), as it is declared. */
export interface OidcSpec extends Reach {
  /** As discovery names it. */
  readonly issuer: string
  readonly clientId: string
  /** The secret itself, never to be shown; null: a public client, held together by PKCE alone. */
  readonly clientSecret: string | null
  readonly scopes: readonly string[]
  /** Null: the e-mail address, if it is verified. */
  readonly userClaim: string | null
  /** Steps to the claim; null: no groups. */
  readonly groupsClaim: readonly string[] | null
  /** The provider's names for services whose tokens are accepted here as well; empty: none. */
  readonly acceptsTokensFor: readonly string[]
}
