import type { RateLimits, Rates } from "../accounts/rates/rate-limits.ts"
import { asApiKey, isPublicText, type PublicKey } from "../accounts/public-keys/public-key.ts"
import type { PublicKeyStore } from "../accounts/public-keys/public-key-store.ts"
import type { Context, Middleware } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { bearerOf, unauthorized } from "../../server/middleware/authentication.ts"
import { parameter } from "../../server/middleware/query-parameters.ts"
import { callerOf } from "../../server/proxies/trusted-proxies.ts"
import { isSameOrigin } from "../sessions/same-origin.ts"

/** The calls a public key may make, and the name under which each is counted against the rate limits. */
export const PUBLIC_CALLS = { "POST /search": "search", "GET /suggest": "suggest" } as const

type PublicCall = keyof typeof PUBLIC_CALLS

const PATHS: ReadonlySet<string> = new Set(Object.keys(PUBLIC_CALLS).map((call) => call.split(" ")[1]!))

/** Seconds that a browser may cache the preflight answer for a path; no browser keeps one longer than two hours. */
const MAX_AGE = "7200"

export interface PublicDoorParts {
  readonly publicKeys: Pick<PublicKeyStore, "verify" | "admits">
  /** Finds the key of the handbook's own pages by its text; null for any other text, or if there is nothing to find. */
  readonly handbookKey: (text: string) => Promise<PublicKey | null>
  readonly rates: Rates
  /** Rate limits for calls from each address; used for keys that have no limits of their own. */
  readonly rateLimits: RateLimits
  readonly publicUrl: string
}

/**
 * The only entrance for public keys. Where public keys may be used, it replaces such a key with its grant; everywhere
 * else, it refuses the key. Calls without a public key pass unchanged. A page may use a key if the page's origin is one
 * of the key's origins. The browser says which page is calling (Fetch standard, section 3.2), and no page can forge
 * that; a program that isn't a browser can send any origin.
 */
export function publicDoor({
  publicKeys,
  handbookKey,
  rates,
  rateLimits,
  publicUrl,
}: PublicDoorParts): Middleware {
  const own = URL.parse(publicUrl)?.origin
  return async (ctx, next) => {
    if (isPreflight(ctx) && PATHS.has(ctx.path) && (await publicKeys.admits(ctx.get("Origin")))) {
      // A preflight contains no key: whether the call itself is allowed is decided when it arrives.
      allow(ctx)
      ctx.set("Access-Control-Allow-Methods", "GET, POST")
      ctx.set("Access-Control-Allow-Headers", "Authorization, Content-Type")
      ctx.set("Access-Control-Max-Age", MAX_AGE)
      ctx.status = 204
      return
    }
    const text = presentedText(ctx)
    if (text === null) {
      await next()
      return
    }
    const ofHandbook = await handbookKey(text)
    const key = ofHandbook ?? (await publicKeys.verify(text))
    if (key === null) {
      // A page that may use another key can read why this one is refused, so that its author sees the mistake.
      if (await publicKeys.admits(ctx.get("Origin"))) allow(ctx)
      throw unauthorized()
    }
    ctx.vary("Origin")
    if (ofHandbook === null) checkOrigin(ctx, key)
    else if (!isSameOrigin(ctx, own)) throw new ApiError(403, ONLY_HANDBOOK)
    const endpoint = PUBLIC_CALLS[`${ctx.method} ${ctx.path}` as PublicCall] as
      | (typeof PUBLIC_CALLS)[PublicCall]
      | undefined
    if (endpoint === undefined) throw new ApiError(403, ONLY_SEARCH)
    const caller = `${key.id} ${callerOf(ctx.ip)}`
    const refused = await rates.take(caller, endpoint, key.rateLimits ?? rateLimits)
    if (refused !== null) {
      throw new ApiError(429, TOO_FAST, {}, { "Retry-After": String(refused.retryAfter) })
    }
    // Projects and people named by another site's page are ignored here.
    ctx.state.tracking = { project: "", session: "", human: "" }
    ctx.state.presented = asApiKey(key)
    ctx.state.publicKey = key
    await next()
  }
}

/**
 * The public key of a call: in the header or, for calls while the user is typing, as a parameter, so that a browser
 * doesn't have to ask before each letter whether it may send a header.
 * @throws ApiError 400
 */
function presentedText(ctx: Context): string | null {
  // The parameter works only for suggestions: other methods are not served, whatever they contain.
  const inQuery =
    ctx.path === "/suggest" && ["GET", "HEAD"].includes(ctx.method) ? parameter(ctx, "key") : undefined
  if (inQuery === undefined) {
    const bearer = bearerOf(ctx)
    return bearer !== null && isPublicText(bearer) ? bearer : null
  }
  if (!isPublicText(inQuery))
    throw badRequest("Invalid key. Must be a public key; send other keys in the header.")
  if (ctx.get("Authorization") !== "")
    throw badRequest("Invalid key. The header has a key, too; send only one.")
  return inQuery
}

const isPreflight = (ctx: Context): boolean =>
  ctx.method === "OPTIONS" && ctx.get("Origin") !== "" && ctx.get("Access-Control-Request-Method") !== ""

/** Lets the calling page read the answer. */
function allow(ctx: Context): void {
  ctx.vary("Origin")
  ctx.set("Access-Control-Allow-Origin", ctx.get("Origin"))
  ctx.set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After")
  ctx.set("Cross-Origin-Resource-Policy", "cross-origin")
}

/** Checks that a page from one of the key's origins is making the call, and then lets that page read the response. @throws ApiError 403 otherwise */
function checkOrigin(ctx: Context, { origins }: PublicKey): void {
  const origin = originOf(ctx)
  if (origin === "") throw new ApiError(403, NO_ORIGIN)
  if (!origins.includes(origin)) {
    throw new ApiError(403, `Access denied. This public key is not for pages on ${origin.slice(0, 200)}.`)
  }
  if (ctx.get("Origin") !== "") allow(ctx)
}

/** Browsers omit the Origin header in a GET request to the page's own origin, but another header says that the origin is the same. */
const originOf = (ctx: Context): string =>
  ctx.get("Origin") || (ctx.get("Sec-Fetch-Site") === "same-origin" ? `${ctx.protocol}://${ctx.host}` : "")

const NO_ORIGIN =
  "Access denied. A public key is for web pages: its calls need the header Origin, which browsers send."
const ONLY_SEARCH = "Access denied. A public key may call POST /search and GET /suggest, and nothing else."
const ONLY_HANDBOOK = "Access denied. This key is for the pages of this appliance's own handbook."
const TOO_FAST = "Too many searches from your address. Wait a moment, and search again."
