import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { routePath } from "../../server/serving/serve-operation.ts"
import { adminDescription } from "./operations/all-operations.ts"

/** The calls that operators may make according to their declarations, in the form `GET /admin/jobs/:id`. */
const OF_OPERATORS: ReadonlySet<string> = new Set(
  adminDescription.operations
    .filter(({ access }) => access === "operator")
    .map(({ method, path }) => `${method.toUpperCase()} ${routePath(path)}`),
)

/** The routes that match a call, as recorded by the router in the context. */
interface Routed {
  readonly matched?: readonly { readonly path: unknown; readonly methods: readonly string[] }[]
}

/** Lets administrators make every call, and operators only those that declare it. */
export const byRole: Middleware = async (ctx, next) => {
  const { role } = ctx.state.key
  if (role !== "admin" && role !== "operator")
    throw new ApiError(403, "This key can only search. The admin API needs a key with the role admin.")
  if (role === "operator" && !isOfOperators(ctx))
    throw new ApiError(
      403,
      "Access denied. This call needs a key with the role admin; yours has the role operator.",
    )
  ctx.set("Cache-Control", "no-store")
  await next()
}

function isOfOperators(ctx: Context): boolean {
  const { matched = [] } = ctx as Routed
  const method = ctx.method === "HEAD" ? "GET" : ctx.method
  const routes = matched.filter(({ methods }) => methods.includes(method))
  return routes.length > 0 && routes.every(({ path }) => OF_OPERATORS.has(`${method} ${String(path)}`))
}
