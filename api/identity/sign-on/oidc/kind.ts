import { resolveSecret } from "#base/secret.ts"

import type { ProviderKind } from "../provider.ts"
import { checkReach, type Reach, REACH_FIELDS } from "../reach-fields.ts"
import type { OidcSpec } from "./spec.ts"

interface Written extends Partial<Reach> {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly scopes: readonly string[]
  readonly userClaim?: string
  readonly groupsClaim: string
  readonly acceptsTokensFor?: readonly string[]
}

/** OpenID Connect. */
export const oidc: ProviderKind<OidcSpec> = {
  kind: "oidc",
  fields: {
    required: ["issuer", "clientId"],
    properties: {
      issuer: {
        description: "Address of the provider, under which /.well-known/openid-configuration is found.",
        type: "string",
        pattern: "^https?://[^\\s?#@]+$",
      },
      clientId: { description: "Client ID of this appliance at the provider.", type: "string", minLength: 1 },
      clientSecret: {
        description: "${NAME} from the environment, or file:/path; left out for a public client.",
        type: "string",
        pattern: "^(?:\\$\\{\\w+\\}|file:.+)$",
      },
      scopes: {
        description: "Scopes to request.",
        type: "array",
        maxItems: 32,
        items: { type: "string", pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$" },
        default: ["openid", "profile", "email"],
      },
      userClaim: {
        description: "Claim with the user name; by default a verified e-mail address.",
        type: "string",
        minLength: 1,
      },
      groupsClaim: {
        description: "Claim with the groups; use dots for nested objects, such as realm_access.roles.",
        type: "string",
        minLength: 1,
        default: "groups",
      },
      acceptsTokensFor: {
        description:
          "Audiences, such as the client ID of LibreChat: services that act for people can pass on tokens that were issued for these.",
        type: "array",
        minItems: 1,
        maxItems: 32,
        items: { type: "string", minLength: 1, maxLength: 200 },
      },
      ...REACH_FIELDS,
    },
  },
  read(written: Written, { env, tried }) {
    const {
      issuer,
      clientId,
      clientSecret,
      scopes,
      userClaim = null,
      groupsClaim,
      acceptsTokensFor = [],
    } = written
    tried("issuer", () => checkAddress(issuer))
    return {
      issuer,
      clientId,
      clientSecret:
        clientSecret === undefined
          ? null
          : (tried("clientSecret", () => resolveSecret(clientSecret, env, "the environment")) ?? null),
      scopes: scopes.includes("openid") ? scopes : ["openid", ...scopes],
      userClaim,
      groupsClaim: groupsClaim.split("."),
      acceptsTokensFor,
      ...checkReach(written, tried),
    }
  },
  async open(spec, parts) {
    const { openOidc } = await import("./open-oidc.ts")
    return openOidc(spec, parts)
  },
}

/** Over plain HTTP, anyone along the route can read tokens. */
function checkAddress(issuer: string): void {
  const url = URL.parse(issuer)
  if (url === null) throw new Error("must be an http or https address")
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  if (url.protocol !== "https:" && !isHere) throw new Error("must be an https address")
}
