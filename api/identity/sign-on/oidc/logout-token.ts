import { jwtVerify, type JWTVerifyGetKey } from "jose"

import { type LoggedOut, SignOnError } from "../provider.ts"

/** The contents of a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
export interface LogoutToken {
  readonly ended: LoggedOut
  /** The token's id, which no other token has. */
  readonly id: string
  /** When it expires, in milliseconds since 1970. */
  readonly until: number
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout"
/** Maximum age: a provider sends a logout token immediately, and says how long it is valid; two minutes are recommended. */
const OLDEST = "10m"
const OLDEST_MS = 600_000
/** Algorithms that sign with a key that only the provider has. */
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
]

/** Checks everything that section 2.6 requires, except whether the token was shown before. @throws SignOnError */
export async function verifyLogoutToken(
  token: string,
  {
    keys,
    issuer,
    audience,
    tolerance,
  }: {
    readonly keys: JWTVerifyGetKey
    readonly issuer: string
    readonly audience: string
    /** Permitted clock difference in seconds. */
    readonly tolerance: number
  },
): Promise<LogoutToken> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: tolerance,
    maxTokenAge: OLDEST,
    requiredClaims: ["iat", "jti", "events"],
  }).catch((error: unknown) => {
    if (error instanceof SignOnError) throw error
    throw new SignOnError("The logout token is not valid.", (error as Error).message)
  })
  const { events, nonce, sid, sub, jti, iat = 0, exp } = payload
  if (typeof events !== "object" || events === null || !(EVENT in events))
    throw new SignOnError("The logout token is for another event.")
  // Ensures that no ID token is mistaken for a logout token.
  if (nonce !== undefined) throw new SignOnError("The logout token has a nonce.")
  const subject = typeof sub === "string" && sub !== "" ? sub : null
  const until = 1000 * Math.max(exp ?? 0, iat) + OLDEST_MS
  if (typeof sid === "string" && sid !== "")
    return { ended: { providerSession: sid, subject }, id: jti!, until }
  if (subject === null) throw new SignOnError("The logout token contains neither a session nor a subject.")
  return { ended: { providerSession: null, subject }, id: jti!, until }
}
