import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { routePath } from "../../server/serving/serve-operation.ts"
import { adminDescription } from "./operations/all-operations.ts"

/** `GET /admin/jobs/:id`, of the calls that declare that they take the role operator. */
const OF_OPERATORS: ReadonlySet<string> = new Set(
  adminDescription.operations
    .filter(({ access }) => access === "operator")
    .map(({ method, path }) => `${method.toUpperCase()} ${routePath(path)}`),
)

/** Routes that a call may end up at, as the router leaves them. */
interface Routed {
  readonly matched?: readonly { readonly path: unknown; readonly methods: readonly string[] }[]
}

/** Lets administrators call everything, and operators what declares so: whatever declares nothing is for administrators. */
export const byRole: Middleware = async (ctx, next) => {
  const { role } = ctx.state.key
  if (role !== "admin" && role !== "operator")
    throw new ApiError(403, "This key may search only. The admin API takes a key of the role admin.")
  if (role === "operator" && !isOfOperators(ctx))
    throw new ApiError(
      403,
      "Access denied. This call takes a key of the role admin; yours has the role operator.",
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
