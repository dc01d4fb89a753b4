import { createHash } from "node:crypto"

import type { Middleware } from "../context.ts"
import type { DomainCaps } from "./operations/tavily-operations.ts"

/** Path of the document, as the last segment of it. */
export const OPENAPI_PATH = "openapi.json"

/** Where the reference is, seen from `/`. */
const REFERENCE = "docs/api-reference"

/**
 * `/openapi.json`, and `/reference`, which leads to the reference in the handbook. Made with the first request and
 * kept.
 *
 * @param server address under which users reach the appliance; empty: that of whoever asks
 * @param caps what its settings allow
 */
export function openApi(server: string, caps: DomainCaps): Middleware {
  let making: Promise<{ text: string; etag: string }> | undefined
  return async (ctx, next) => {
    if (ctx.path !== `/${OPENAPI_PATH}` && ctx.path !== "/reference") {
      await next()
    } else if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.status = 405
      ctx.set("Allow", "GET, HEAD")
    } else if (ctx.path === "/reference") {
      ctx.redirect(REFERENCE)
    } else {
      const { text, etag } = await (making ??= make(server, caps))
      ctx.type = "application/json"
      ctx.body = text
      ctx.etag = etag
      ctx.set("Cache-Control", "no-cache")
      ctx.status = 200
      if (ctx.fresh) ctx.status = 304
    }
  }
}

async function make(server: string, caps: DomainCaps) {
  const [{ openApiDocument }, { fossickVersion }] = await Promise.all([
    import("./document.ts"),
    import("#base/fossick-version.ts"),
  ])
  const text = JSON.stringify(openApiDocument(server || "/", fossickVersion(), caps))
  return { text, etag: createHash("sha256").update(text).digest("base64url").slice(0, 22) }
}

/** The reference as the end of a handbook page. */
export async function reference(server: string): Promise<string> {
  const { referenceHtml } = await import("./reference-html.ts")
  return referenceHtml(server || "http://localhost:8080")
}
