import { percentDecoded } from "#base/text/percent-decoded.ts"
import {
  InvalidClientMetadataError,
  InvalidGrantError,
  InvalidScopeError,
  InvalidTargetError,
} from "@modelcontextprotocol/sdk/server/auth/errors.js"
import type {
  AuthorizationParams,
  OAuthServerProvider,
} from "@modelcontextprotocol/sdk/server/auth/provider.js"
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { type ClientDocuments, isDocumentAddress } from "./client-documents.ts"
import type { ShownPage } from "./consent.ts"
import type { IssuedTokens, OAuthStore } from "./oauth-store.ts"
import type { Ticket } from "./tickets.ts"

/** The scope for searching and reading whatever the key may see. `collection:NAME` limits a program to a collection. */
export const SEARCH_SCOPE = "search"
const COLLECTION = "collection:"
const MAX_NAME_CHARS = 200
const MOST_REDIRECTS = 10
/** Maximum total size of the addresses that a program registers: anyone may register, and the addresses are stored. */
const MAX_ADDRESS_CHARS = 4000
/** All programs are public clients: a secret handed to anyone who asks proves nothing. */
const PUBLIC_CLIENT = {
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
}

export interface ProviderParts {
  readonly store: OAuthStore
  /** Shows the page that asks the user, in the browser that made the request. */
  readonly ask: (request: object, ticket: Omit<Ticket, "holder">) => Promise<ShownPage>
  readonly documents: Pick<ClientDocuments, "client">
  /** Address of the MCP endpoint, which is the resource that tokens are for (RFC 8707). */
  readonly resource: string
}

/** Implements what the MCP SDK's protocol handlers need from us. */
export function oauthProvider({ store, documents, ask, resource }: ProviderParts): OAuthServerProvider {
  const forUs = (asked: URL | undefined): void => {
    if (asked !== undefined && asked.href.replace(/\/$/, "") !== resource) {
      throw new InvalidTargetError(`Tokens from this server are for ${resource}`)
    }
  }
  const handedOut = (issued: IssuedTokens | null): OAuthTokens => {
    if (issued === null)
      throw new InvalidGrantError("It has expired, has been used, or belongs to another client")
    const { access, refresh, expiresIn } = issued
    return {
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: expiresIn,
      scope: SEARCH_SCOPE,
    }
  }
  return {
    clientsStore: {
      getClient: async (id) => {
        if (isDocumentAddress(id)) return await documentedClient(id, documents)
        const client = await store.client(id)
        // Addresses in the state might have been stored by a version that accepted more.
        return client === null || !mayRedirectToAll(client.metadata["redirect_uris"])
          ? undefined
          : ({ ...client.metadata, client_id: id } as OAuthClientInformationFull)
      },
      async registerClient(given) {
        const { redirect_uris: uris, client_name: name, client_uri: uri } = given
        if (!mayRedirectToAll(uris)) {
          throw new InvalidClientMetadataError(
            "redirect_uris must be up to ten addresses with https, with http on this machine, or with the program's own scheme, a reversed domain such as com.example.app",
          )
        }
        if ([...uris, uri ?? ""].join("").length > MAX_ADDRESS_CHARS) {
          throw new InvalidClientMetadataError(
            `redirect_uris and client_uri must have at most ${MAX_ADDRESS_CHARS} characters together`,
          )
        }
        const metadata = {
          redirect_uris: uris,
          client_name: (name ?? "a program").slice(0, MAX_NAME_CHARS).toWellFormed(),
          ...(uri !== undefined && { client_uri: uri }),
          ...PUBLIC_CLIENT,
        }
        const { id } = await store.register(metadata)
        return { ...metadata, client_id: id, client_id_issued_at: Math.floor(Date.now() / 1000) }
      },
    },
    async authorize(client, params, res) {
      forUs(params.resource)
      const { status, headers, html } = await ask(res.req, {
        client: client.client_id,
        clientName: client.client_name ?? "a program",
        redirectUri: params.redirectUri,
        challenge: params.codeChallenge,
        state: params.state,
        collections: collectionsOf(params),
      })
      res.status(status).set(headers).send(html)
    },
    async challengeForAuthorizationCode(client, code) {
      const pending = await store.code(client.client_id, code)
      if (pending === null)
        throw new InvalidGrantError("The code has expired, has been used, or belongs to another client")
      return pending.challenge
    },
    async exchangeAuthorizationCode(client, code, _verifier, redirectUri, asked) {
      forUs(asked)
      const pending = await store.code(client.client_id, code)
      if (pending === null || (redirectUri !== undefined && redirectUri !== pending.redirectUri))
        return handedOut(null)
      return handedOut(await store.redeem(code, pending.grant))
    },
    async exchangeRefreshToken(client, token, scopes = [], asked) {
      forUs(asked)
      if (scopes.some((scope) => scope !== SEARCH_SCOPE))
        throw new InvalidScopeError("A refresh can't change the scope")
      return handedOut(await store.refresh(client.client_id, token))
    },
    async verifyAccessToken(token) {
      const found = await store.granted(token)
      if (found === null) throw new InvalidGrantError("The token has expired")
      const { grant, expiresAt } = found
      return { token, clientId: grant.client, scopes: [SEARCH_SCOPE], expiresAt: expiresAt.getTime() / 1000 }
    },
    async revokeToken(client, { token }) {
      await store.revokeToken(client.client_id, token)
    },
  }
}

/** The client for a program that describes itself. Its host is shown beside its name, because only the host is certain. */
async function documentedClient(
  id: string,
  documents: ProviderParts["documents"],
): Promise<OAuthClientInformationFull | undefined> {
  const document = await documents.client(id)
  if (document === null) return undefined
  const { name, redirectUris } = document
  if (!mayRedirectToAll(redirectUris)) return undefined
  const host = new URL(id).host
  return {
    ...PUBLIC_CLIENT,
    client_id: id,
    client_name: `${name.slice(0, MAX_NAME_CHARS).toWellFormed()} (${host})`,
    redirect_uris: [...redirectUris],
  }
}

function collectionsOf({ scopes = [] }: AuthorizationParams): readonly string[] {
  const given = scopes.filter((scope) => scope !== "" && scope !== SEARCH_SCOPE && scope !== "offline_access")
  if (given.some((scope) => !scope.startsWith(COLLECTION))) {
    throw new InvalidScopeError(`Scopes are ${SEARCH_SCOPE} and ${COLLECTION}NAME`)
  }
  return given.map((scope) => {
    const name = scope.slice(COLLECTION.length)
    return percentDecoded(name) ?? name
  })
}

function mayRedirectToAll(uris: unknown): boolean {
  return (
    Array.isArray(uris) &&
    uris.length > 0 &&
    uris.length <= MOST_REDIRECTS &&
    uris.every((uri) => typeof uri === "string" && mayRedirectTo(uri))
  )
}

/** Schemes without a dot that are still used by editors that support MCP and offer no other way to return to them. */
const KNOWN_PROGRAMS = ["cursor:"]

/**
 * Allows https; http on the program's machine (RFC 8252, section 7.3); or a private scheme, which is a reversed domain
 * name (7.1). Schemes without a dot belong to the system and its programs: `mailto:`, `ms-msdt:` and `view-source:`
 * would take effect immediately, even if the redirect reports a refusal. Fragments are not allowed (OAuth 2.1, 2.3).
 */
function mayRedirectTo(uri: string): boolean {
  const url = URL.parse(uri)
  if (url === null || url.hash !== "") return false
  if (url.protocol === "http:") return ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  return url.protocol === "https:" || url.protocol.includes(".") || KNOWN_PROGRAMS.includes(url.protocol)
}
