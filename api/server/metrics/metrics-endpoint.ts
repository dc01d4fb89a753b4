import type { Context, Middleware } from "../../context.ts"
import type { MetricsParts, Recorder } from "./metrics-registry.ts"

/**
 * Measures requests, and answers `/metrics` in the Prometheus text format.
 *
 * Measuring begins with the first scrape: only changes between scrapes matter, and the library takes megabytes that an
 * appliance without scrapes doesn't need.
 */
export function metrics(parts: MetricsParts): Middleware {
  const known = new Set(parts.endpoints)
  let loading: Promise<Recorder> | undefined
  let recorder: Recorder | undefined
  const load = async () => {
    const { openRecorder } = await import("./metrics-registry.ts")
    return (recorder = await openRecorder(parts))
  }
  return async (ctx, next) => {
    const end = recorder?.begin()
    if (end) ctx.res.once("close", () => end(labelsOf(ctx, known)))
    if (ctx.path !== "/metrics") {
      await next()
    } else if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.status = 405
      ctx.set("Allow", "GET, HEAD")
    } else {
      await parts.authenticate(ctx, async () => {
        loading ??= load().catch((error: unknown) => {
          loading = undefined
          throw error
        })
        const { text, type } = await (await loading).read()
        ctx.set("Cache-Control", "no-store")
        ctx.set("Content-Type", type)
        ctx.body = text
      })
    }
  }
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
const DEPTHS = new Set(["basic", "advanced", "fast", "ultra-fast"])

/** Uses only words from a closed list, so labels contain nothing that a caller wrote. */
function labelsOf(ctx: Context, known: ReadonlySet<string>) {
  const first = ctx.path.split("/")[1] ?? ""
  const endpoint = known.has(first) ? first : "other"
  return {
    endpoint,
    method: METHODS.has(ctx.method) ? ctx.method : "other",
    // A status for a response that no caller saw, because the caller hung up.
    status: ctx.res.writableFinished ? String(ctx.status) : "499",
    depth: endpoint === "search" && ctx.status === 200 ? depthOf(ctx) : null,
  }
}

function depthOf(ctx: Context): string {
  const given = (ctx.state as Partial<Context["state"]>).body?.["search_depth"]
  const answer = ctx.body as { readonly auto_parameters?: { readonly search_depth?: string } } | undefined
  const depth = answer?.auto_parameters?.search_depth ?? given
  return typeof depth === "string" && DEPTHS.has(depth) ? depth : "basic"
}
