import type { ApiKey, KeyStore } from "../accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { isKeyless } from "../../server/wire/keyless.ts"
import { tokenOf } from "./cookie.ts"
import { isSafe, isSameOrigin } from "./same-origin.ts"
import type { Sessions } from "./sessions.ts"

/**
 * The calls people may make without signing in, if the operator allows it: those the search page needs, and none about
 * keys.
 */
const OPEN_CALLS: ReadonlySet<string> = new Set([
  "POST /search",
  "GET /suggest",
  "GET /suggest/opensearch",
  "GET /pages",
  "GET /sources",
  "GET /thumbnails",
  "POST /feedback",
  "POST /page-requests",
])

/** Results link to files, so files can be read without signing in, too. */
const isOpenCall = ({ method, path }: Context): boolean =>
  OPEN_CALLS.has(`${method} ${path}`) || (method === "GET" && path.startsWith("/files/"))

/** Whether a call takes a browser to a provider or back. Such calls don't belong to a user yet, and can come from forms on other sites. */
export const isSignOn = ({ path }: Context): boolean => path.startsWith("/sign-on/")

/** The only call that clients without a key may make: of the two calls these clients know, it is the one that only uses the index. */
const KEYLESS_CALL = "POST /search"

/**
 * Determines who is calling when a browser sends no key: from its session or, on pages of this appliance, with the open
 * key. The result is in `ctx.state.presented`, which the authentication of every endpoint treats as the key. If a call
 * with a session can change something, it must come from a page of this appliance and have a JSON body, so that no
 * other page can make it in the user's name. A Tavily client that says it has no key may search with the open key, too.
 * @param openKey key for people who did not sign in; empty if there is none
 */
export function presented({
  sessions,
  keys,
  openKey,
  publicUrl,
  checkName,
}: {
  readonly sessions: Pick<Sessions, "whoIs">
  readonly keys: Pick<KeyStore, "verify">
  readonly openKey: string
  readonly publicUrl: string
  /** Refuses calls if their host name might belong to someone else. */
  readonly checkName: (ctx: Context) => void
}): Middleware {
  const own = URL.parse(publicUrl)?.origin
  return async (ctx, next) => {
    if (ctx.state.presented === undefined && ctx.get("Authorization") === "" && !isSignOn(ctx)) {
      const token = tokenOf(ctx)
      const found = token === null ? null : await sessions.whoIs(token)
      if (found !== null) {
        checkOrigin(ctx, own)
        ctx.state.presented = found.key
      } else if (isOpenCall(ctx) && (isSameOrigin(ctx, own) || isTyped(ctx))) {
        const key = await openKeyOf(keys, openKey)
        if (key !== null) {
          checkName(ctx)
          checkOrigin(ctx, own)
          ctx.state.presented = key
          ctx.state.isLent = true
        }
      } else if (isKeyless(ctx) && `${ctx.method} ${ctx.path}` === KEYLESS_CALL) {
        const key = await openKeyOf(keys, openKey)
        if (key !== null) {
          // Over plain HTTP, browsers do not say whether a page is calling, and a page can claim anything.
          checkName(ctx)
          ctx.state.presented = key
          ctx.state.isLent = true
        }
      }
    }
    await next()
  }
}

/** Whether the user typed the address into the browser, which means that no page made the request. */
const isTyped = (ctx: Context): boolean => isSafe(ctx.method) && ctx.get("Sec-Fetch-Site") === "none"

/** The key for people who did not sign in, or null. A key with the role admin is never used without a sign-in. */
export async function openKeyOf(keys: Pick<KeyStore, "verify">, openKey: string): Promise<ApiKey | null> {
  const key = openKey === "" ? null : await keys.verify(openKey)
  return key?.role === "search" ? key : null
}

/** Checks that a call may use a session. @throws ApiError 403, 415 */
export function checkOrigin(ctx: Context, own: string | undefined): void {
  const problem = originProblem(ctx, own)
  if (problem !== null) throw problem
}

/** Why a call can't use the credentials the browser sends automatically; null if it can. */
export function originProblem(ctx: Context, own: string | undefined): ApiError | null {
  if (isSafe(ctx.method)) return null
  if (!isSameOrigin(ctx, own)) return new ApiError(403, CROSS_ORIGIN)
  const hasBody = ctx.get("Transfer-Encoding") !== "" || Number(ctx.get("Content-Length") || 0) > 0
  return hasBody && ctx.is("application/json") === false
    ? new ApiError(415, "Unsupported content type. Send the body as application/json.")
    : null
}

const CROSS_ORIGIN =
  "Access denied. A call that uses a session has to come from a page of this appliance; other programs send a key."
