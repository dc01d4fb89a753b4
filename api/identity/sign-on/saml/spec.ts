import type { Reach } from "../reach-fields.ts"
import type { IdentityProvider } from "./identity-provider-metadata.ts"

/** Where a provider's metadata is found. */
export type Described =
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "written"; readonly provider: IdentityProvider }

/** A declared SAML 2.0 provider. */
export interface SamlSpec extends Reach {
  readonly described: Described
  /** The provider's name for this appliance; null for the address of our metadata. */
  readonly entityId: string | null
  /** Names of the attributes that contain facts about a person; if one of these two is null, the NameID is used. */
  readonly subjectAttribute: string | null
  readonly userAttribute: string | null
  readonly nameAttribute: string
  readonly emailAttribute: string
  readonly groupsAttribute: string
}
