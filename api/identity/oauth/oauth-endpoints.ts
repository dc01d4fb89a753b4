import { NO_OUTAGE, type StateOutage } from "../../server/outage/state-outage.ts"
import { randomBytes } from "node:crypto"

import type { StateStore } from "#base/store/state-store.ts"

import type { Collections } from "../accounts/reach/collections.ts"
import type { ApiKey, KeyStore } from "../accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { arrivingBodies, bodyText } from "../../server/middleware/json-body.ts"
import { MOST_TYPED, TOO_MANY_WRONG, WrongKeys } from "../sessions/wrong-keys.ts"
import { callerOf } from "../../server/proxies/trusted-proxies.ts"
import type { ClientDocuments } from "./client-documents.ts"
import { grantedKey, notGrantable } from "./granted-key.ts"
import { OAuthStore } from "./oauth-store.ts"
import { openTickets } from "./tickets.ts"

/** Paths that OAuth has at the root of the appliance's address. */
const PATHS =
  /^\/(?:authorize|token|register|revoke|\.well-known\/oauth-(?:authorization-server|protected-resource)(?:\/mcp)?)\/?$/
const CONSENT_PATH = "/authorize/consent"
const MAX_FORM_BYTES = 32_768

/** OAuth 2.1 for MCP, where it is served. */
export interface OAuth {
  readonly store: OAuthStore
  /** Serves the calls of OAuth. */
  readonly endpoints: Middleware
  /**
   * The key of a caller of `/mcp` that shows an access token, and the header under which its calls go on inside, where no access
   * token is taken; null: it is none.
   */
  verify(token: string): Promise<{ readonly key: ApiKey; readonly inside: string } | null>
  /** The key behind such a header; null: it is none. */
  verifyInside(presented: string): Promise<ApiKey | null>
  /** What a 401 of `/mcp` says (RFC 9728, section 5.1). */
  readonly challenge: string
}

/** Why OAuth cannot be served under an address; null: it can. */
export function oauthProblem(publicUrl: string): string | null {
  const url = URL.parse(publicUrl)
  if (url === null) return "FOSSICK_PUBLIC_URL is not set"
  const isLocal = ["localhost", "127.0.0.1"].includes(url.hostname)
  if (url.protocol !== "https:" && !isLocal) return "FOSSICK_PUBLIC_URL is no https address"
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
  readonly keys: Pick<KeyStore, "verify" | "byId">
  readonly collections: Pick<Collections, "list">
  readonly publicUrl: string
  /** Left out, no token is known while the state is away. */
  readonly outage?: Pick<StateOutage, "remembered" | "without">
}): OAuth {
  const store = new OAuthStore(db)
  const { origin, pathname } = new URL(publicUrl)
  /** Path of the appliance's address; empty: it has none. */
  const prefix = pathname.replace(/\/+$/, "")
  const base = origin + prefix
  const issuer = prefix === "" ? `${origin}/` : base
  const resource = `${base}/mcp`
  const tickets = openTickets(origin.startsWith("https:"), `${prefix}/authorize`)
  const wrong = new WrongKeys(MOST_TYPED)
  const arriving = arrivingBodies(MAX_FORM_BYTES)
  // Known to this process alone.
  const insidePrefix = `inside-${randomBytes(32).toString("base64url")}-`

  const load = async () => {
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
    // Behind a proxy express knows its address alone.
    const limit = { validate: false, keyGenerator: (request: object) => callers.get(request) ?? "" }
    const served = {
      provider: oauthProvider({ store, documents, tickets, resource }),
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
    // Before those of the router, which knows no path and says less.
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
  const callers = new WeakMap<object, string>()
  let loading: ReturnType<typeof load> | undefined

  // While the state is away, an API key matches no remembered token and is then looked for among the keys.
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

  const answerConsent = async (ctx: Context): Promise<void> => {
    const form = new URLSearchParams(await bodyText(ctx.req, "", MAX_FORM_BYTES, arriving))
    const ticket = tickets.open(form.get("ticket") ?? "", ctx.get("Cookie"))
    const sentFrom = ctx.get("Origin")
    if (ticket === null || (sentFrom !== "" && sentFrom !== "null" && sentFrom !== origin)) {
      throw new ApiError(400, "This page is no longer valid. Go back to the program and begin again.")
    }
    const back = new URL(ticket.redirectUri)
    back.searchParams.set("iss", issuer)
    if (ticket.state !== undefined) back.searchParams.set("state", ticket.state)
    const redirect = () => {
      ctx.set("Cache-Control", "no-store")
      ctx.status = 303
      ctx.set("Location", back.href)
      ctx.body = ""
    }
    if (form.get("answer") !== "allow") {
      back.searchParams.set("error", "access_denied")
      redirect()
      return
    }
    const again = async (problem: string) => {
      const { showConsent } = await import("./oauth-provider.ts")
      const asked = { ...ticket, collections: given }
      const reply = {
        status: (code: number) => ((ctx.status = code), reply),
        set: (headers: Readonly<Record<string, string>>) => (ctx.set({ ...headers }), reply),
        send: (body: string) => ((ctx.body = body), reply),
      }
      showConsent(reply as never, asked, tickets, resource, problem)
    }
    const given = (form.get("collections") ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
    const key = await keys.verify((form.get("key") ?? "").trim())
    if (key === null)
      return await again((await wrong.isTooMany(ctx)) ? TOO_MANY_WRONG : "This is no valid key.")
    const known = (await collections.list()).map(({ name }) => name)
    const not = notGrantable(key, given, known)
    if (not !== null) return await again(`This key knows no collection “${not.slice(0, 100)}”.`)
    const { client, clientName, redirectUri, challenge } = ticket
    const code = await store.allow(
      { client, clientName, key: key.id, collections: given.length === 0 ? null : given },
      { redirectUri, challenge },
    )
    back.searchParams.set("code", code)
    redirect()
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
    endpoints: async (ctx, next) => {
      const path = barePath(ctx.path, prefix)
      if (path === CONSENT_PATH && ctx.method === "POST") {
        await answerConsent(ctx)
        return
      }
      if (!PATHS.test(path)) {
        await next()
        return
      }
      ctx.path = path
      const app = await (loading ??= load())
      callers.set(ctx.req, callerOf(ctx.ip))
      ctx.respond = false
      ctx.res.statusCode = 200
      await new Promise<void>((resolve, reject) => {
        ctx.res.once("close", resolve)
        app(ctx.req, ctx.res, (error) => {
          // What express could not work with it has not answered.
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
    },
  }
}

/**
 * A path without that of the appliance's address, which a proxy may keep. Below `/.well-known/` it stands behind the name of the document
 * (RFC 8414, section 3.1; RFC 9728, section 3.1).
 */
function barePath(path: string, prefix: string): string {
  const [, document = "", rest = path] = /^(\/\.well-known\/[a-z-]+)(\/.*)$/.exec(path) ?? []
  const isBelow = prefix !== "" && (rest === prefix || rest.startsWith(`${prefix}/`))
  return isBelow ? document + rest.slice(prefix.length) : path
}

/** Of a body that express cannot read; null: the fault is not the caller's. */
function refusalOf(error: unknown): { readonly status: number; readonly because: string } | null {
  const { status } = error as { readonly status?: unknown }
  if (typeof status !== "number" || status < 400 || status > 499) return null
  return { status, because: UNREADABLE[status] ?? "The body cannot be parsed." }
}

const UNREADABLE: Readonly<Record<number, string>> = {
  413: "The body is too large.",
  415: "The body has an encoding or a charset that is not read here.",
}
