import { decodeJwt, decodeProtectedHeader, jwtVerify } from "jose"

import type { Principal } from "#engine/index/page/readers.ts"
import { principalOf } from "#engine/index/page/readers.ts"

import { ApiError } from "../../errors.ts"
import { ACTING_HEADER, OPEN_WEBUI_EMAIL, OPEN_WEBUI_TOKEN } from "../accounts/keys/acting-headers.ts"
import type { ActsBy } from "../accounts/keys/keys.ts"

/** Maximum lifetime in seconds of a token that a service signs itself, and the permitted clock difference. */
const LONGEST_SECONDS = 300
const CLOCK_TOLERANCE = 30
const MOST_CHARS = 16_384

/** The user a service named: by user name, or by an identity provider's token that has not been checked yet. */
export type AskedFor =
  | { readonly kind: "user"; readonly user: string }
  | { readonly kind: "token"; readonly token: string; readonly issuer: string }

/**
 * The person a request is made for.
 * @param header value of a request header; empty if it wasn't sent
 * @param secret with which the service signs
 * @throws ApiError 401 naming the header
 */
export async function askedFor(
  header: (name: string) => string,
  by: ActsBy,
  secret: () => Promise<string>,
): Promise<AskedFor> {
  const signed = header(ACTING_HEADER) || header(OPEN_WEBUI_TOKEN)
  const given = (signed || (by === "headers" ? header(OPEN_WEBUI_EMAIL) : "")).trim()
  if (given === "") throw refused(`Name the person in the header ${ACTING_HEADER}.`)
  if (given.length > MOST_CHARS) throw refused(`The header ${ACTING_HEADER} is too long.`)
  const algorithm = algorithmOf(given)
  if (algorithm === null) {
    if (by === "headers") return { kind: "user", user: userNamed(given) }
    throw refused(`The header ${ACTING_HEADER} must be a signed token: this key doesn't accept plain names.`)
  }
  if (algorithm !== "HS256") {
    const issuer = issuerOf(given)
    if (issuer === null) throw refused(`The token in the header ${ACTING_HEADER} has no issuer.`)
    return { kind: "token", token: given, issuer }
  }
  return { kind: "user", user: userNamed(await signedName(given, await secret())) }
}

/** The user whose name a service signed. Groups in the token are ignored: only an identity provider assigns groups. */
async function signedName(token: string, secret: string): Promise<string> {
  const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
    algorithms: ["HS256"],
    requiredClaims: ["iat", "exp"],
    clockTolerance: CLOCK_TOLERANCE,
  }).catch((error: unknown) => {
    throw refused(`The token in the header ${ACTING_HEADER} is not valid: ${(error as Error).message}.`)
  })
  const { iat = 0, exp = 0, sub, email } = payload
  if (exp - iat > LONGEST_SECONDS || iat > Date.now() / 1000 + CLOCK_TOLERANCE)
    throw refused(
      `The token in the header ${ACTING_HEADER} is valid for too long: its exp must be at most ${LONGEST_SECONDS} seconds after its iat.`,
    )
  return typeof email === "string" && email !== "" ? email : (sub ?? "")
}

/** The user's name in the form that lists of readers use. */
function userNamed(given: string): string {
  const principal: Principal | null = principalOf(`user:${given.trim()}`)
  if (principal === null) throw refused(`The header ${ACTING_HEADER} doesn't name a person.`)
  return principal.slice("user:".length)
}

/** The algorithm of a token, which is decoded without being checked; null if it isn't a token. */
function algorithmOf(given: string): string | null {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(given)) return null
  try {
    return decodeProtectedHeader(given).alg ?? ""
  } catch {
    return null
  }
}

function issuerOf(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null
  } catch {
    return null
  }
}

/** @param what a sentence that names the header */
export const refused = (what: string): ApiError =>
  new ApiError(401, `Unauthorized: this key acts for people. ${what}`, {}, { "WWW-Authenticate": "Bearer" })
