import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"

import { exportJWK, type JWK } from "jose"
// @ts-expect-error -- it has no types
import { Provider } from "oidc-provider"
// @ts-expect-error -- it has no types
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js"

/** A person as the provider knows them. */
export interface Account {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: readonly string[]
}

export interface ProviderOptions {
  readonly port: number
  /** Address of the appliance that is the provider's client. */
  readonly appliance: string
  /** The appliance's name for the provider, as used in the appliance's paths. */
  readonly name: string
  /** The client's secret; null for a public client. */
  readonly secret: string | null
  /** Called with each response from the token endpoint that contains tokens. */
  readonly onTokens?: (tokens: Readonly<Record<string, unknown>>) => void
}

/** An OpenID Connect provider on a socket: `oidc-provider`, certified by the OpenID Foundation. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** The provider's people, by the login they type in, which is their subject. Anyone else has no account. */
  readonly accounts: Map<string, Account>
  /** Makes the provider sign with new keys from now on, and drop the old ones. */
  rotateKeys(): Promise<void>
  /** Makes the provider answer only with 503, until this is called with false. */
  away(isAway: boolean): void
  /** How often the token endpoint was called. */
  tokenCalls(): number
  /** The provider's current keys, with which a test can sign anything. */
  readonly keys: () => readonly JWK[]
}

const CLIENT = "fossick"

/** The relevant parts of the class, which has no type declarations. */
interface Served {
  callback(): RequestListener
  on(event: string, handle: (...args: unknown[]) => void): void
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  readonly Grant: new (of: object) => { addOIDCScope(scopes: string): void; save(): Promise<string> }
}

/** The parts of a call's context used here. */
interface OidcContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly provider: Served
  }
}

/** Starts the provider. People sign in with only their login. */
export async function startProvider({
  port,
  appliance,
  name,
  secret,
  onTokens = () => {},
}: ProviderOptions): Promise<IdentityProvider> {
  // This is not the same site as the appliance, which is at 127.0.0.1.
  const issuer = `http://localhost:${port}`
  const accounts = new Map<string, Account>()
  let keys: readonly JWK[] = [await signingKey()]
  const make = (): RequestListener => {
    const provider = new Provider(
      issuer,
      configuration({ appliance, name, secret, accounts, keys }),
    ) as Served
    for (const event of ["server_error", "backchannel.error"])
      provider.on(event, (_, error) => console.error(error))
    provider.on("grant.success", (call) => onTokens((call as { body: Record<string, unknown> }).body))
    const answer = provider.callback()
    return (request, response) => {
      if (request.url === "/favicon.ico") response.writeHead(204).end()
      else if (!request.url?.startsWith("/login/")) answer(request, response)
      else if (request.method === "GET") response.setHeader("Content-Type", "text/html").end(LOGIN)
      else void logIn(provider, request, response)
    }
  }
  let serving = make()
  let isAway = false
  let tokenCalls = 0
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/token")) tokenCalls++
    if (isAway) {
      response.writeHead(503).end()
      return
    }
    serving(request, response)
  })
  server.listen(port, "localhost")
  await once(server, "listening")
  return {
    issuer,
    accounts,
    keys: () => keys,
    tokenCalls: () => tokenCalls,
    away: (value) => (isAway = value),
    async rotateKeys() {
      keys = [await signingKey()]
      serving = make()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const LOGIN = `<!doctype html><title>Company account</title><form method="post" action="">
<label>Login <input name="login"></label> <button>Sign in</button></form>`

const LOGOUT = `<!doctype html><title>Company account</title>
<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`

async function logIn(provider: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request))
  await provider.interactionFinished(request, response, { login: { accountId: form.get("login") } })
}

/** Users are not asked whether the appliance may know who they are. */
async function grantAll({ oidc: { client, session, provider } }: OidcContext): Promise<object> {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope("openid profile email")
  await grant.save()
  return grant
}

async function signingKey(): Promise<JWK> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: crypto.randomUUID() }
}

function configuration({
  appliance,
  name,
  secret,
  accounts,
  keys,
}: Omit<ProviderOptions, "port" | "onTokens"> & {
  readonly accounts: ReadonlyMap<string, Account>
  readonly keys: readonly JWK[]
}): object {
  const own = `${appliance}/sign-on/${name}`
  return {
    clients: [
      {
        client_id: CLIENT,
        ...(secret !== null && { client_secret: secret }),
        token_endpoint_auth_method: secret === null ? "none" : "client_secret_basic",
        redirect_uris: [`${own}/callback`],
        post_logout_redirect_uris: [`${appliance}/`],
        backchannel_logout_uri: `${own}/logout`,
        backchannel_logout_session_required: true,
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    jwks: { keys },
    cookies: { keys: ["signs the cookies of a test"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      // The library's own logout page loads a font from the web.
      rpInitiatedLogout: {
        logoutSource: (ctx: { body: string }, form: string) => void (ctx.body = `${LOGOUT}${form}`),
      },
    },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/login/${uid}` },
    loadExistingGrant: grantAll,
    // The library warns when its own adapter is used.
    adapter: class extends MemoryAdapter {},
    ttl: Object.fromEntries(
      ["AccessToken", "Grant", "IdToken", "Interaction", "RefreshToken", "Session"].map((one) => [one, 3600]),
    ),
    issueRefreshToken: async () => true,
    // The dispatcher that the library passes is from another version of undici.
    fetch: (url: string, { method, headers, body }: RequestInit) =>
      fetch(url, { method: method!, headers: headers!, body: body! }),
    pkce: { required: () => true },
    findAccount: (_: unknown, sub: string) =>
      accounts.has(sub) ? { accountId: sub, claims: async () => ({ sub, ...accounts.get(sub) }) } : undefined,
  }
}
