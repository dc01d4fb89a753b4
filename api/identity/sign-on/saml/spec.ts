import type { Reach } from "../reach-fields.ts"
import type { IdentityProvider } from "./identity-provider-metadata.ts"

/** Where the description of a provider is found. */
export type Described =
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "written"; readonly provider: IdentityProvider }

/** A provider of SAML 2.0, as it is declared. */
export interface SamlSpec extends Reach {
  readonly described: Described
  /** The provider's name for this appliance; null: the address of our metadata. */
  readonly entityId: string | null
  /** Attributes by their names; null: the NameID. */
  readonly subjectAttribute: string | null
  readonly userAttribute: string | null
  readonly nameAttribute: string
  readonly emailAttribute: string
  readonly groupsAttribute: string
}
