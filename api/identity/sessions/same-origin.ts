import type { Context } from "../../context.ts"

/**
 * Whether the page that makes a call comes from this appliance. Browsers report this (Fetch Metadata, section 2.3), and
 * no page can forge it; older browsers at least send the origin of a call that changes something (Fetch standard,
 * section 3.2).
 * @param own origin of the appliance's public address, if it has one
 */
export function isSameOrigin(ctx: Context, own: string | undefined): boolean {
  const site = ctx.get("Sec-Fetch-Site")
  if (site !== "") return site === "same-origin"
  const origin = ctx.get("Origin")
  return origin !== "" && (origin === `${ctx.protocol}://${ctx.host}` || origin === own)
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const isSafe = (method: string): boolean => ["GET", "HEAD", "OPTIONS"].includes(method)
