import { headers } from "./headers/kind.ts"
import { oidc } from "./oidc/kind.ts"
import { saml } from "./saml/kind.ts"
import type { Provider, ProviderKind, ProviderParts, ProviderSpec, Reading } from "./provider.ts"

/** A kind, with any fields. */
export interface AnyKind {
  readonly kind: string
  readonly fields: { readonly properties: object; readonly required: readonly string[] }
  readonly read: (written: unknown, reading: Reading) => unknown
  readonly open: (spec: ProviderSpec, parts: ProviderParts) => Promise<Provider>
}

/** Hides which fields a kind has; each `open` gets the result of `read` of the same kind. */
const any = <Own>(kind: ProviderKind<Own>): AnyKind => ({
  kind: kind.kind,
  fields: kind.fields,
  read: (written, reading) => kind.read(written as never, reading),
  open: (spec, parts) => kind.open(spec as ProviderSpec<Own>, parts),
})

/** The kinds of providers. */
export const KINDS: readonly AnyKind[] = [any(oidc), any(saml), any(headers)]
