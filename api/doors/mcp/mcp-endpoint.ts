import { randomUUID } from "node:crypto"
import { once } from "node:events"
import type { Server } from "node:http"

import { callerGone, type Context, type Middleware, clientGone } from "../../context.ts"
import { ApiError, toApiError } from "../../errors.ts"
import { bearerOf } from "../../server/middleware/authentication.ts"
import { jsonBody, NoObjectBody, UnparsableBody } from "../../server/middleware/json-body.ts"
import { ACTING_HEADERS } from "../../identity/accounts/keys/acting-headers.ts"
import type { OAuth } from "../../identity/oauth/oauth-endpoints.ts"
import type { Tool } from "../../server/operation/tool.ts"
import { apiOver, askInProcess } from "./ask-api.ts"

const SESSION_HEADER = "mcp-session-id"
/** The caller's headers that are passed on to the tools' calls. */
const PASSED_ON = ["authorization", "x-project-id", "x-human-id", "x-session-id", ...ACTING_HEADERS]

interface McpParts {
  /** Serves the whole app, which doesn't have to listen on a port. Created on the first call. */
  readonly server: () => Server
  /** Refuses callers without a valid key in the header. */
  readonly authenticate: Middleware
  /** Admits programs to which a user gave access; null if there is no OAuth. */
  readonly oauth: Pick<OAuth, "verify" | "challenge"> | null
  readonly bodyLimit: number
  /** Last segments of the paths of the endpoints that exist: tools for other endpoints are left out. */
  readonly endpoints: () => readonly string[]
  readonly loadTools: () => Promise<readonly Tool[]>
  /** A notice about the appliance, which is part of the instructions for models, or null. */
  readonly notice: string | null
  /** Origins of web pages that may call the endpoint, in addition to the appliance's own. */
  readonly origins: readonly string[]
}

/**
 * POST `/mcp`: the Model Context Protocol over streamable HTTP (version 2025-11-25 and earlier).
 *
 * Nothing is kept between requests. A session is only a name that the first response assigns and later requests repeat:
 * calls are logged under it, and it identifies them when they are cancelled.
 */
export function mcpEndpoint(parts: McpParts): Middleware {
  const readBody = jsonBody(parts.bodyLimit)
  const running = new Map<string, AbortController>()
  const serves = (endpoint: string) => parts.endpoints().includes(endpoint.slice(1))
  let inner: Server | undefined
  return async (ctx, next) => {
    if (ctx.path !== "/mcp") {
      await next()
      return
    }
    try {
      refuseStrangePages(ctx, parts.origins)
      // The specification allows this refusal for streams started by the server and for ending a session.
      if (ctx.method !== "POST") throw new ApiError(405, "Method not allowed.", {}, { Allow: "POST" })
      await letIn(ctx, parts, (inside) =>
        readBody(ctx, () =>
          answer(ctx, {
            server: (inner ??= parts.server()),
            running,
            serves,
            loadTools: parts.loadTools,
            notice: parts.notice,
            inside,
          }),
        ),
      )
    } catch (error) {
      if (ctx.headerSent || callerGone(ctx)) throw error
      refuse(ctx, error)
      if (ctx.status === 401 && parts.oauth !== null) ctx.set("WWW-Authenticate", parts.oauth.challenge)
    }
  }
}

/** Admits a key, or an access token that was issued for this endpoint; `next` gets the header for its internal calls. */
async function letIn(
  ctx: Context,
  { oauth, authenticate }: Pick<McpParts, "oauth" | "authenticate">,
  next: (inside: string | null) => Promise<unknown>,
): Promise<void> {
  const granted = (await oauth?.verify(bearerOf(ctx) ?? "")) ?? null
  if (granted === null) {
    await authenticate(ctx, () => next(null))
    return
  }
  ctx.state.key = granted.key
  await next(granted.inside)
}

/** Reports errors that occur before a message is understood, as the SDK's transport does: with a status, and JSON-RPC 2.0. */
function refuse(ctx: Context, error: unknown): void {
  const { status, message, headers } = toApiError(error)
  if (status >= 500) ctx.state.log.error({ err: error }, "request failed")
  ctx.set(headers)
  ctx.status = status
  ctx.body = { jsonrpc: "2.0", error: { code: codeOf(error, status), message }, id: null }
}

/** The codes of JSON-RPC 2.0, section 5.1; all other errors get the first code reserved for servers, as in the SDK. */
function codeOf(error: unknown, status: number): number {
  if (error instanceof UnparsableBody) return -32_700
  if (error instanceof NoObjectBody) return -32_600
  return status >= 500 ? -32_603 : -32_000
}

interface Answering {
  readonly server: Server
  readonly running: Map<string, AbortController>
  readonly serves: (endpoint: string) => boolean
  readonly loadTools: McpParts["loadTools"]
  readonly notice: string | null
  /** The header for the tools' calls if the caller presented an access token; null to use the caller's own header. */
  readonly inside: string | null
}

async function answer(
  ctx: Context,
  { server, running, serves, loadTools, notice, inside }: Answering,
): Promise<void> {
  const { method, id, params } = ctx.state.body as {
    readonly method?: unknown
    readonly id?: unknown
    readonly params?: { readonly requestId?: unknown }
  }
  const session = method === "initialize" ? randomUUID() : sessionOf(ctx)
  if (method === "initialize") ctx.set("Mcp-Session-Id", session)
  const nameOf = (request: unknown) => JSON.stringify([ctx.state.key.id, session, request])
  if (method === "notifications/cancelled" && session !== "") running.get(nameOf(params?.requestId))?.abort()

  const [{ mcpServer }, { instructionsFor, plainInstructions }, { StreamableHTTPServerTransport }, tools] =
    await Promise.all([
      import("./mcp-server.ts"),
      import("./instructions.ts"),
      import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
      loadTools(),
    ])
  const cancelled = new AbortController()
  const passedOn = PASSED_ON.map((name) => [name, ctx.get(name)]).filter(([, value]) => value !== "")
  const ask = askInProcess(server, {
    "x-client-source": "MCP",
    ...(session !== "" && { "x-session-id": session }),
    ...Object.fromEntries(passedOn),
    ...(inside !== null && { authorization: inside }),
  })
  const signal = AbortSignal.any([clientGone(ctx), cancelled.signal])
  // Only the answer to `initialize` contains the full instructions.
  const instructions =
    method === "initialize" ? await instructionsFor(apiOver(ask, signal), notice) : plainInstructions(notice)
  const mcp = mcpServer(ask, tools, { signal, serves, instructions })
  const transport = new StreamableHTTPServerTransport()
  Object.assign(mcp, { onerror: (error: Error) => ctx.state.log.debug({ err: error }, "mcp") })
  const name = nameOf(id)
  if (id !== undefined && session !== "") running.set(name, cancelled)
  try {
    await mcp.connect(transport)
    ctx.respond = false
    await transport.handleRequest(ctx.req, ctx.res, ctx.state.body)
    if (!ctx.res.closed) await once(ctx.res, "close")
  } catch (error) {
    // An error can still be sent only if the response hasn't begun.
    if (!ctx.headerSent) ctx.respond = true
    throw error
  } finally {
    if (running.get(name) === cancelled) running.delete(name)
    await mcp.close()
  }
}

function sessionOf(ctx: Context): string {
  const given = ctx.get(SESSION_HEADER)
  return /^[\x21-\x7e]{1,100}$/.test(given) ? given : ""
}

/**
 * A web page that makes its own name resolve to this machine (DNS rebinding) appears to have the same origin as the
 * appliance. But browsers send the origin with each POST, and only origins that the operator listed are admitted; other
 * programs send no origin.
 */
function refuseStrangePages(ctx: Context, origins: readonly string[]): void {
  const origin = ctx.get("Origin")
  if (origin === "" || origins.includes("*") || origins.includes(origin)) return
  throw new ApiError(
    403,
    "Web pages on this origin may not call this server. Its operator can allow them with FOSSICK_CORS_ORIGINS.",
  )
}
