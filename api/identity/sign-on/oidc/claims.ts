import type { Vouched } from "../provider.ts"
import { SignOnError } from "../provider.ts"
import type { OidcSpec } from "./spec.ts"

export type Claims = Readonly<Record<string, unknown>>

/** The facts about a person in a token's claims. @throws SignOnError when the claims don't list the person's groups */
export function personOf(
  claims: Claims,
  { userClaim, groupsClaim }: Pick<OidcSpec, "userClaim" | "groupsClaim">,
): Pick<Vouched, "user" | "name" | "email" | "groups"> {
  const email = textOf(claims["email"])
  return {
    user: userOf(claims, userClaim),
    name: textOf(claims["name"]) || textOf(claims["preferred_username"]),
    email,
    groups: groupsClaim === null ? [] : groupsOf(claims, groupsClaim),
  }
}

/**
 * The name that the provider vouches for. Unless the operator chose a claim, it is the e-mail address, if the provider
 * has verified it: people can often change their other names freely.
 */
function userOf(claims: Claims, claim: string | null): string | null {
  const isVerified = claims["email_verified"] === true || claims["email_verified"] === "true"
  if (claim === null) return isVerified ? textOf(claims["email"]) || null : null
  // An operator who set another claim vouches for it; a provider that says an address is not verified doesn't vouch for
  // it.
  if (claim === "email" && claims["email_verified"] !== undefined && !isVerified) return null
  return textOf(valueAt(claims, claim.split("."))) || null
}

function groupsOf(claims: Claims, path: readonly string[]): readonly string[] {
  // For people in many groups, Microsoft Entra omits the groups and sends an address where they are listed.
  const elsewhere = claims["_claim_names"]
  if (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, path[0] ?? ""))
    throw new SignOnError(
      "You are in more groups than your account lists. Ask the operator of this search engine.",
      `the claim ${path.join(".")} was left out because of its size (_claim_names)`,
    )
  const found = valueAt(claims, path)
  if (typeof found === "string") return [found]
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === "string") : []
}

/** Whether claims list the person's groups. */
export const sayGroups = (claims: Claims, { groupsClaim }: Pick<OidcSpec, "groupsClaim">): boolean =>
  groupsClaim === null || valueAt(claims, groupsClaim) !== undefined

/** A claim whose own name has dots, such as `https://example.com/groups`, is found as well. */
function valueAt(claims: Claims, path: readonly string[]): unknown {
  const whole = claims[path.join(".")]
  if (whole !== undefined) return whole
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Claims)[step]
        : undefined,
    claims,
  )
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
