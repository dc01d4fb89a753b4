import type { Application } from "express"
import { NO_OUTAGE, type StateOutage } from "../../server/outage/state-outage.ts"
import { randomBytes } from "node:crypto"

import type { StateStore } from "#base/store/state-store.ts"

import type { Collections } from "../accounts/reach/collections.ts"
import type { ApiKey, KeyStore } from "../accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import type { Sessions } from "../sessions/sessions.ts"
import { callerOf } from "../../server/proxies/trusted-proxies.ts"
import type { ClientDocuments } from "./client-documents.ts"
import { CONSENT_PATH, type Consent, openConsent } from "./consent.ts"
import { grantedKey } from "./granted-key.ts"
import { OAuthStore } from "./oauth-store.ts"
import { openTickets } from "./tickets.ts"

/** OAuth paths at the root of the appliance's address. */
const PATHS =
  /^\/(?:authorize|token|register|revoke|\.well-known\/oauth-(?:authorization-server|protected-resource)(?:\/mcp)?)\/?$/

/** OAuth 2.1 for MCP, where it is enabled. */
export interface OAuth {
  readonly store: OAuthStore
  /**
   * Serves the OAuth calls. @param sessions people who signed in; if left out, every user admits programs with a key
   */
  readonly endpoints: (sessions?: Pick<Sessions, "whoIs" | "ways">) => Middleware
  /**
   * The key behind the access token that a caller of `/mcp` presents, and the header for internal calls to endpoints
   * that don't accept access tokens; null if `token` isn't an access token.
   */
  verify(token: string): Promise<{ readonly key: ApiKey; readonly inside: string } | null>
  /** The key behind a header for internal calls; null if it isn't such a header. */
  verifyInside(presented: string): Promise<ApiKey | null>
  /** The `WWW-Authenticate` text of a 401 from `/mcp` (RFC 9728, section 5.1). */
  readonly challenge: string
}

/** Why OAuth cannot be served at an address; null if it can. */
export function oauthProblem(publicUrl: string): string | null {
  const url = URL.parse(publicUrl)
  if (url === null) return "FOSSICK_PUBLIC_URL is not set"
  const isLocal = ["localhost", "127.0.0.1"].includes(url.hostname)
  if (url.protocol !== "https:" && !isLocal) return "FOSSICK_PUBLIC_URL is not an https address"
  return null
}

export function openOAuth({
  db,
  keys,
  collections,
  documents,
  publicUrl,
  outage = NO_OUTAGE,
}: {
  readonly documents: Pick<ClientDocuments, "client">
  readonly db: StateStore
  readonly keys: Pick<KeyStore, "verify" | "byId" | "nameOf">
  readonly collections: Pick<Collections, "list">
  readonly publicUrl: string
  /** Remembers tokens for outages; if left out, no token is known while the state server is away. */
  readonly outage?: Pick<StateOutage, "remembered" | "without">
}): OAuth {
  const store = new OAuthStore(db)
  const { origin, pathname } = new URL(publicUrl)
  /** Path of the appliance's address; empty if it has none. */
  const prefix = pathname.replace(/\/+$/, "")
  const base = origin + prefix
  const issuer = prefix === "" ? `${origin}/` : base
  const resource = `${base}/mcp`
  const tickets = openTickets(origin.startsWith("https:"), `${prefix}/authorize`)
  // A secret known only to this process.
  const insidePrefix = `inside-${randomBytes(32).toString("base64url")}-`

  const load = async (consent: Consent) => {
    const [
      { default: express },
      { createOAuthMetadata, mcpAuthRouter },
      { metadataHandler },
      { oauthProvider, SEARCH_SCOPE },
    ] = await Promise.all([
      import("express"),
      import("@modelcontextprotocol/sdk/server/auth/router.js"),
      import("@modelcontextprotocol/sdk/server/auth/handlers/metadata.js"),
      import("./oauth-provider.ts"),
    ])
    const app = express()
    app.disable("x-powered-by")
    // Behind a proxy, express knows only the proxy's address.
    const limit = {
      validate: false,
      keyGenerator: (request: object) => callerOf(callers.get(request)?.ip ?? ""),
    }
    const served = {
      provider: oauthProvider({
        store,
        documents,
        ask: (request, ticket) => consent.ask(callers.get(request)!, ticket),
        resource,
      }),
      issuerUrl: new URL(origin),
      scopesSupported: [SEARCH_SCOPE],
    }
    const made = createOAuthMetadata(served)
    const under = (endpoint = "") => base + new URL(endpoint).pathname
    const metadata = {
      ...made,
      issuer,
      authorization_endpoint: under(made.authorization_endpoint),
      token_endpoint: under(made.token_endpoint),
      registration_endpoint: under(made.registration_endpoint),
      revocation_endpoint: under(made.revocation_endpoint),
      client_id_metadata_document_supported: true,
    }
    // Registered before the router's own metadata handlers, which don't know the path and report less.
    app.use("/.well-known/oauth-authorization-server", metadataHandler(metadata))
    app.use(
      "/.well-known/oauth-protected-resource/mcp",
      metadataHandler({
        resource,
        authorization_servers: [issuer],
        scopes_supported: [SEARCH_SCOPE],
        resource_name: "Fossick",
      }),
    )
    app.use(
      mcpAuthRouter({
        ...served,
        resourceServerUrl: new URL("/mcp", origin),
        authorizationOptions: { rateLimit: limit },
        tokenOptions: { rateLimit: limit },
        revocationOptions: { rateLimit: limit },
        clientRegistrationOptions: { rateLimit: limit, clientSecretExpirySeconds: 0 },
      }),
    )
    return app
  }
  const callers = new WeakMap<object, Context>()

  // While the state server is away, an API key matches no remembered token and is then looked up among the keys.
  const granted = outage.without(
    outage.remembered(
      (token: string) => store.granted(token),
      (found) => found !== null,
    ),
    null,
  )
  const holderOf = async (token: string): Promise<ApiKey | null> => {
    const found = await granted(token)
    if (found !== null && found.expiresAt.getTime() <= Date.now()) return null
    const key = found && (await keys.byId(found.grant.key))
    return found && key && grantedKey(key, found.grant)
  }

  return {
    store,
    challenge: `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
    verify: async (token) => {
      const key = await holderOf(token)
      return key && { key, inside: `Bearer ${insidePrefix}${token}` }
    },
    verifyInside: async (presented) =>
      presented.startsWith(insidePrefix) ? await holderOf(presented.slice(insidePrefix.length)) : null,
    endpoints: (sessions) => {
      const consent = openConsent({ store, tickets, keys, collections, sessions, base, issuer, resource })
      let loading: ReturnType<typeof load> | undefined
      return async (ctx, next) => {
        const path = barePath(ctx.path, prefix)
        if (path === CONSENT_PATH && ctx.method === "POST") await consent.answer(ctx)
        else if (path === CONSENT_PATH && ctx.method === "GET") await consent.askAgain(ctx)
        else if (!PATHS.test(path)) await next()
        else {
          ctx.path = path
          const app = await (loading ??= load(consent))
          callers.set(ctx.req, ctx)
          await byExpress(ctx, app)
        }
      }
    },
  }
}

/** Has express answer a call. */
async function byExpress(ctx: Context, app: Application): Promise<void> {
  ctx.respond = false
  ctx.res.statusCode = 200
  await new Promise<void>((resolve, reject) => {
    ctx.res.once("close", resolve)
    app(ctx.req, ctx.res, (error) => {
      // Requests that express could not process have no answer yet.
      ctx.respond = true
      const refused = error === undefined ? null : refusalOf(error)
      if (error === undefined) ctx.status = 404
      else if (refused !== null) {
        ctx.status = refused.status
        ctx.body = { error: "invalid_request", error_description: refused.because }
      } else {
        reject(error)
        return
      }
      resolve()
    })
  })
}

/**
 * A path without the appliance's own path prefix, which a proxy may leave in place. Below `/.well-known/`, the prefix
 * comes after the name of the document (RFC 8414, section 3.1; RFC 9728, section 3.1).
 */
function barePath(path: string, prefix: string): string {
  const [, document = "", rest = path] = /^(\/\.well-known\/[a-z-]+)(\/.*)$/.exec(path) ?? []
  const isBelow = prefix !== "" && (rest === prefix || rest.startsWith(`${prefix}/`))
  return isBelow ? document + rest.slice(prefix.length) : path
}

/** The error for a body that express cannot read; null if the caller is not to blame. */
function refusalOf(error: unknown): { readonly status: number; readonly because: string } | null {
  const { status } = error as { readonly status?: unknown }
  if (typeof status !== "number" || status < 400 || status > 499) return null
  return { status, because: UNREADABLE[status] ?? "The body cannot be parsed." }
}

const UNREADABLE: Readonly<Record<number, string>> = {
  413: "The body is too large.",
  415: "The body has an unsupported encoding or charset.",
}
