import type { Middleware } from "../../context.ts"

/** Answers are data: browsers must not run or frame them, or guess their type. Pages for people add headers of their own. */
const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
}

/** Sets headers that keep browsers from doing harm with an answer. HTTPS, and with it HSTS, is left to the proxy. */
export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    for (const [name, value] of Object.entries(HEADERS)) ctx.set(name, value)
    await next()
  }
}
