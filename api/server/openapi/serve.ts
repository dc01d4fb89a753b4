import type { Middleware } from "../../context.ts"
import type { Description } from "../operation/operation.ts"
import { prepare, type PreparedBody, sendPrepared } from "../wire/prepared-body.ts"

type Describe = () => Promise<Required<Description>>

/** The last segment of the document's path. */
export const OPENAPI_PATH = "openapi.json"

/** The reference's path, relative to `/`. */
const REFERENCE = "docs/client"

/**
 * `/openapi.json`, and `/reference`, which redirects to the reference in the handbook. The document is made on the
 * first request and kept.
 *
 * @param server address at which users reach the appliance; empty: the address the caller used
 * @param describe loads the features' descriptions of their calls
 */
export function openApi(server: string, describe: Describe): Middleware {
  let making: Promise<PreparedBody> | undefined
  return async (ctx, next) => {
    if (ctx.path !== `/${OPENAPI_PATH}` && ctx.path !== "/reference") {
      await next()
    } else if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.status = 405
      ctx.set("Allow", "GET, HEAD")
    } else if (ctx.path === "/reference") {
      ctx.redirect(REFERENCE)
    } else {
      sendPrepared(ctx, await (making ??= make(server, describe)), "no-cache")
    }
  }
}

async function make(server: string, describe: Describe) {
  const [described, { openApiDocument }, { fossickVersion }] = await Promise.all([
    describe(),
    import("./document.ts"),
    import("#base/fossick-version.ts"),
  ])
  const text = JSON.stringify(openApiDocument(described, server || "/", fossickVersion()))
  return prepare("application/json; charset=utf-8", text)
}

/** The reference as HTML for the end of a handbook page. @param describe loads the features' descriptions of their calls */
export async function reference(server: string, describe: Describe): Promise<string> {
  const { referenceHtml } = await import("./reference-html.ts")
  return referenceHtml(await describe(), server || "http://localhost:8080")
}
