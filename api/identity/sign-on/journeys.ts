import type { Context } from "../../context.ts"
import type { Sealer } from "./kept/sealer.ts"

/** A browser that has been sent to a provider. */
export interface Journey {
  readonly provider: string
  /** The data the provider's `begin` stored. */
  readonly remember: string
  /** Path on this appliance where the journey began and to which it returns. */
  readonly returnTo: string
}

/** How long a person may spend at the provider. */
const LASTS_MS = 15 * 60_000
/** Maximum length of the path, because browsers might not keep a larger cookie. */
const LONGEST_PATH = 1000
const USE = "journey"

/**
 * A neighbouring host can't set a cookie with the prefix, so it can't make a user finish a sign-in that is not theirs
 * (RFC 6265bis, section 4.1.3.2).
 */
const cookieOf = (ctx: Context, provider: string): string =>
  `${ctx.secure ? "__Host-" : ""}fossick-sign-on-${provider}`

/** Makes the browser remember a journey; it remembers only one at a time for each provider. */
export function setOut(ctx: Context, sealer: Sealer, journey: Journey): void {
  const sealed = sealer.seal(USE, JSON.stringify({ ...journey, until: Date.now() + LASTS_MS }))
  setCookie(ctx, journey.provider, sealed, LASTS_MS / 1000)
}

/** The journey of this browser, which ends with this call; null if there is none. */
export function comeBack(ctx: Context, sealer: Sealer, provider: string): Journey | null {
  const name = cookieOf(ctx, provider)
  const sent = ctx.get("Cookie").split(";")
  const sealed = sent.map((one) => one.trim()).find((one) => one.startsWith(`${name}=`))
  if (sealed === undefined) return null
  setCookie(ctx, provider, "", 0)
  const text = sealer.open(USE, sealed.slice(name.length + 1))
  if (text === null) return null
  const { until, ...journey } = JSON.parse(text) as Journey & { readonly until: number }
  return journey.provider === provider && Date.now() < until ? journey : null
}

/** The cookie is not `Strict`, because the browser comes from another site. */
function setCookie(ctx: Context, provider: string, value: string, seconds: number): void {
  const parts = [
    `${cookieOf(ctx, provider)}=${value}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${seconds}`,
  ]
  ctx.append("Set-Cookie", [...parts, ...(ctx.secure ? ["Secure"] : [])].join("; "))
}

/** A path on this appliance, whatever the input: never an address that leads elsewhere, however browsers interpret it. */
export function ownPath(given: string, otherwise: string): string {
  if (given.length > LONGEST_PATH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(given) || given.includes("\\"))
    return otherwise
  const base = "http://own.invalid"
  const url = URL.parse(given, base)
  return url !== null && url.origin === base && !url.pathname.startsWith("//")
    ? url.pathname + url.search + url.hash
    : otherwise
}
