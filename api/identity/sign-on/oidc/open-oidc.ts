import { createRemoteJWKSet, customFetch as joseFetch, errors as joseErrors, jwtVerify } from "jose"
import * as client from "openid-client"

import { guardedFetch, type GuardedFetch } from "../guarded-fetch.ts"
import {
  type Arriving,
  type Departure,
  type ForwardedToken,
  type Held,
  type Provider,
  ProviderAwayError,
  type ProviderParts,
  type ProviderSpec,
  SignOnError,
  type Vouched,
} from "../provider.ts"
import { type Claims, personOf, sayGroups } from "./claims.ts"
import type { OidcSpec } from "./spec.ts"
import { ALGORITHMS, type LogoutToken, verifyLogoutToken } from "./logout-token.ts"

/** Stored in the browser while the user is at the provider. */
interface Remembered {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The error for a person that the provider no longer vouches for. */
class OverError extends SignOnError {
  constructor(detail: string) {
    super("This sign-in has ended. Start again.", detail)
  }
}

/** The provider's metadata is reread after this time. */
const FRESH_MS = 3_600_000
/** Minimum time between rereads of the keys: they are reread when a token is signed with an unknown key, and anyone can send a logout token. */
const COOLDOWN_MS = 2000
/** Permitted clock difference in seconds. */
const CLOCK_TOLERANCE = 30
/** The provider's error codes for a refresh token that has expired, or whose session has (RFC 6749, section 5.2). */
const OVER = new Set(["invalid_grant", "interaction_required", "login_required", "consent_required"])

/** An OpenID Connect provider. Discovery happens at the first sign-in, so that an appliance can start without its provider. */
export function openOidc(spec: ProviderSpec<OidcSpec>, parts: ProviderParts): Provider {
  const reached = guardedFetch(spec.name, spec.own, parts)
  return new OidcProvider(spec, parts, reached)
}

type Tokens = Pick<client.TokenEndpointResponse, "access_token" | "refresh_token" | "id_token"> &
  Pick<client.TokenEndpointResponseHelpers, "claims">

interface Discovered {
  readonly config: client.Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet>
  readonly at: number
}

class OidcProvider implements Provider {
  readonly #spec: ProviderSpec<OidcSpec>
  readonly #parts: ProviderParts
  readonly #reached: GuardedFetch
  #discovered: Discovered | null = null
  #discovering: Promise<Discovered> | null = null

  constructor(spec: ProviderSpec<OidcSpec>, parts: ProviderParts, reached: GuardedFetch) {
    this.#spec = spec
    this.#parts = parts
    this.#reached = reached
  }

  async begin({ callback }: Arriving): Promise<Departure> {
    const { config } = await this.#discover()
    const remembered: Remembered = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: this.#spec.own.scopes.join(" "),
      code_challenge: await client.calculatePKCECodeChallenge(remembered.verifier),
      code_challenge_method: "S256",
      state: remembered.state,
      nonce: remembered.nonce,
    })
    return { url: url.href, remember: JSON.stringify(remembered) }
  }

  async finish({ query, callback }: Arriving, text: string): Promise<Vouched> {
    const { state, nonce, verifier } = JSON.parse(text) as Remembered
    const discovered = await this.#discover()
    const { config } = discovered
    const url = new URL(callback)
    url.search = query.toString()
    return await this.#asking(async () => {
      const tokens = await client.authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      return await this.#vouched(discovered, tokens, null)
    })
  }

  async renew(held: Held): Promise<Vouched | null> {
    const { refresh } = held
    if (refresh === null) return null
    try {
      const discovered = await this.#discover()
      return await this.#asking(async () => {
        const tokens = await client.refreshTokenGrant(discovered.config, refresh)
        return await this.#vouched(discovered, tokens, held)
      })
    } catch (error) {
      if (!(error instanceof SignOnError)) throw error
      // Problems with the provider say nothing about the person.
      if (!(error instanceof OverError)) throw new ProviderAwayError(error.detail)
      this.#parts.log.info(
        { provider: this.#spec.name, reason: error.detail },
        "{provider} no longer vouches for a person: {reason}",
      )
      return null
    }
  }

  async signOut({ signOutHint }: Held, back: string): Promise<string | null> {
    const { config } = await this.#discover()
    if (config.serverMetadata().end_session_endpoint === undefined) return null
    return client.buildEndSessionUrl(config, {
      post_logout_redirect_uri: back,
      ...(signOutHint !== null && { id_token_hint: signOutHint }),
    }).href
  }

  async loggedOut(message: URLSearchParams): Promise<LogoutToken["ended"]> {
    const { config, keys } = await this.#discover()
    const { issuer } = config.serverMetadata()
    const found = await verifyLogoutToken(message.get("logout_token") ?? "", {
      keys,
      issuer,
      audience: this.#spec.own.clientId,
      tolerance: CLOCK_TOLERANCE,
    })
    if (!(await this.#parts.isFirst(`logout ${found.id}`, found.until)))
      throw new SignOnError("The logout token was already used.")
    return found.ended
  }

  async forwarded(token: string, issuer: string): Promise<ForwardedToken | null> {
    const { own } = this.#spec
    if (own.acceptsTokensFor.length === 0 || bare(issuer) !== bare(own.issuer)) return null
    const { config, keys } = await this.#discover()
    return await this.#asking(async () => {
      const { payload } = await jwtVerify(token, keys, {
        issuer: config.serverMetadata().issuer,
        audience: [...own.acceptsTokensFor],
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE,
        requiredClaims: ["sub", "iat", "exp"],
      })
      // A logout token doesn't mean that the person is present.
      if ("events" in payload) throw new SignOnError(UNFIT, "it is a token for an event")
      const said = personOf(payload, own)
      return {
        vouched: { subject: payload.sub!, ...said, providerSession: null, refresh: null, signOutHint: null },
        isComplete: said.user !== null && sayGroups(payload, own),
        issuedAt: new Date(payload.iat! * 1000),
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reached[Symbol.asyncDispose]()
  }

  /** Concurrent callers share one request. Metadata that can't be reread stays in use. */
  async #discover(): Promise<Discovered> {
    const known = this.#discovered
    if (known !== null && Math.abs(Date.now() - known.at) < FRESH_MS) return known
    this.#discovering ??= this.#asking(() => this.#read()).finally(() => (this.#discovering = null))
    try {
      return (this.#discovered = await this.#discovering)
    } catch (error) {
      if (known === null) throw error
      return known
    }
  }

  async #read(): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.#spec.own
    const fetch: client.CustomFetch = (url, options) => this.#reached.fetch(url, options)
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE },
      clientSecret === null ? client.None() : client.ClientSecretBasic(clientSecret),
      {
        [client.customFetch]: fetch,
        // Such an issuer is an address of this machine itself, which users cannot reach. The file accepts no other
        // address over plain HTTP.
        execute: issuer.startsWith("http:") ? [client.allowInsecureRequests] : [],
      },
    )
    const { jwks_uri: keysAt } = config.serverMetadata()
    if (keysAt === undefined) throw new SignOnError(UNFIT, "its metadata has no jwks_uri")
    const keys = createRemoteJWKSet(new URL(keysAt), {
      cooldownDuration: COOLDOWN_MS,
      [joseFetch]: (url, { method, headers }) =>
        this.#reached.fetch(url, { method, headers: Object.fromEntries(headers) }),
    })
    return { config, keys, at: Date.now() }
  }

  /**
   * The person that the tokens vouch for.
   * @param held the proof of the earlier sign-in, to renew; null if this is the sign-in
   */
  async #vouched({ config, keys }: Discovered, tokens: Tokens, held: Held | null): Promise<Vouched> {
    if (tokens.id_token !== undefined)
      // The library has checked the claims. The signature is checked although the token comes from the provider itself.
      await jwtVerify(tokens.id_token, keys, {
        issuer: config.serverMetadata().issuer,
        audience: this.#spec.own.clientId,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE,
      })
    const idClaims = tokens.claims()
    const subject = idClaims?.sub ?? held?.subject
    if (subject === undefined) throw new SignOnError(UNFIT, "there is no ID token")
    if (held !== null && subject !== held.subject) throw new OverError("the subject changed after a refresh")
    // These claims are newer than those of an ID token, and they are where most providers put groups.
    const { userinfo_endpoint: hasMore } = config.serverMetadata()
    const more = hasMore === undefined ? {} : await client.fetchUserInfo(config, tokens.access_token, subject)
    if (idClaims === undefined && hasMore === undefined)
      throw new SignOnError(UNFIT, "a refresh returned neither an ID token nor claims")
    const claims: Claims = { ...idClaims, ...more }
    const sid = idClaims?.["sid"]
    return {
      subject,
      ...personOf(claims, this.#spec.own),
      providerSession: typeof sid === "string" ? sid : (held?.providerSession ?? null),
      refresh: tokens.refresh_token ?? held?.refresh ?? null,
      signOutHint: tokens.id_token ?? held?.signOutHint ?? null,
    }
  }

  /**
   * Makes a request to the provider.
   * @throws ProviderAwayError when the provider can't be asked; SignOnError when it refuses, or its answer isn't valid
   */
  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      throw signOnErrorOf(error)
    }
  }
}

/** Some providers' names end with a slash that some operators leave out. */
const bare = (issuer: string): string => issuer.replace(/\/+$/, "")

const UNFIT =
  "The page that signs you in gave an answer that can't be used. Ask the operator of this search engine."

/**
 * The code of a provider's error (RFC 6749, section 5.2). The description is left out, because a careless provider
 * repeats the request in it, with the client's secret and the person's code.
 */
const codeOf = (code: string): string => (/^[a-z_]{1,60}$/.test(code) ? code : "with an error of its own")

function signOnErrorOf(error: unknown): unknown {
  const chain = [error, (error as Error).cause]
  const own = chain.find((one) => one instanceof SignOnError)
  if (own !== undefined) return own
  if (error instanceof client.AuthorizationResponseError)
    return new SignOnError(
      error.error === "access_denied"
        ? "The sign-in was cancelled."
        : "The page that signs you in refused to do so. Ask the operator of this search engine.",
      `it refused: ${error.error} ${error.error_description ?? ""}`,
    )
  if (error instanceof client.ResponseBodyError) {
    const detail = `it answered ${error.status} ${codeOf(error.error)}`
    return OVER.has(error.error)
      ? new OverError(detail)
      : // A wrong secret or a rate limit says nothing about the person.
        new ProviderAwayError(detail)
  }
  if (error instanceof joseErrors.JOSEError) return new SignOnError(UNFIT, error.message)
  if (error instanceof client.ClientError || error instanceof client.WWWAuthenticateChallengeError)
    return new SignOnError(
      UNFIT,
      `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}`.trim(),
    )
  return error
}
