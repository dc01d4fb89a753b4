import type { Context } from "../../context.ts"

/** A cookie with this prefix can be set only by this host and only over https (RFC 6265bis, section 4.1.3.2). */
const SECURE_NAME = "__Host-fossick"
const PLAIN_NAME = "fossick-session"

const nameFor = (ctx: Context): string => (ctx.secure ? SECURE_NAME : PLAIN_NAME)

/** The session token that a browser sent, or null. */
export function tokenOf(ctx: Context): string | null {
  const name = nameFor(ctx)
  for (const pair of ctx.get("Cookie").split(";")) {
    const at = pair.indexOf("=")
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || null
  }
  return null
}

/** Sets a cookie that is inaccessible to scripts and never sent from another site. */
export function setToken(ctx: Context, token: string, expiresAt: Date): void {
  setCookie(ctx, token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000)))
}

export const clearToken = (ctx: Context): void => setCookie(ctx, "", 0)

function setCookie(ctx: Context, value: string, seconds: number): void {
  const parts = [`${nameFor(ctx)}=${value}`, "Path=/", "HttpOnly", "SameSite=Strict", `Max-Age=${seconds}`]
  ctx.append("Set-Cookie", [...parts, ...(ctx.secure ? ["Secure"] : [])].join("; "))
}
