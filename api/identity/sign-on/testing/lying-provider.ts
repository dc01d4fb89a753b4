import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { exportJWK, generateKeyPair, SignJWT } from "jose"

/** The token to create: extra claims, and how it is signed. */
export interface Lie {
  readonly claims?: Readonly<Record<string, unknown>>
  /** `mine`: with the provider's published key; `other`: with another one; `secret`: with the client's secret; `none`: not at all. */
  readonly signed?: "mine" | "other" | "secret" | "none"
}

/** A provider with scripted answers. */
export interface LyingProvider extends AsyncDisposable {
  readonly issuer: string
  /** Sets the ID token that is returned for the next code. */
  say(lie: Lie): void
  /** A token created by the provider with these claims. */
  token(lie: Lie): Promise<string>
}

const ALGORITHM = "ES256"

/** Starts the provider. @param audience the client */
export async function startLyingProvider(audience: string, secret: string): Promise<LyingProvider> {
  const [mine, other] = await Promise.all([generateKeyPair(ALGORITHM), generateKeyPair(ALGORITHM)])
  const jwks = { keys: [{ ...(await exportJWK(mine.publicKey)), alg: ALGORITHM, kid: "1", use: "sig" }] }
  let next: Lie = {}
  let issuer = ""
  const token = async ({ claims = {}, signed = "mine" }: Lie): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: issuer, aud: audience, sub: "anna", iat: now, exp: now + 300, ...claims }
    if (signed === "none") {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
      return `${part({ alg: "none" })}.${part(all)}.`
    }
    const alg = signed === "secret" ? "HS256" : ALGORITHM
    const key =
      signed === "secret" ? new TextEncoder().encode(secret) : (signed === "mine" ? mine : other).privateKey
    return await new SignJWT(all).setProtectedHeader({ alg, kid: "1" }).sign(key)
  }
  const answers: Readonly<Record<string, () => Promise<object> | object>> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      // Whatever algorithms the provider offers, signatures that others could create are not accepted.
      id_token_signing_alg_values_supported: [ALGORITHM, "HS256", "none"],
    }),
    "/jwks": () => jwks,
    "/token": async () => ({ access_token: "a", token_type: "Bearer", id_token: await token(next) }),
  }
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""]
    response.setHeader("Content-Type", "application/json")
    void Promise.resolve(answer?.() ?? {}).then((body) => response.end(JSON.stringify(body)))
  })
  server.listen(0, "localhost")
  await once(server, "listening")
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    say: (lie) => (next = lie),
    token,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
