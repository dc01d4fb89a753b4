import type { Router } from "@koa/router"

import type { Context, RequestState } from "../../context.ts"
import {
  flagParameter,
  oneOfParameter,
  parameter,
  strictBody,
  timeParameter,
  wholeNumber,
} from "../middleware/query-parameters.ts"
import type { Operation } from "../operation/operation.ts"
import type { JsonSchema, Schema } from "../schema/schemas.ts"

/** The names of the parameters in a path. */
type NamesIn<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** A call, with the types that its operation describes. */
interface Call<Q, B, P extends string> {
  readonly ctx: Context
  readonly path: Readonly<Record<NamesIn<P>, string>>
  /** The query parameters; each is read, and may be refused with 400, only when the handler uses it. */
  readonly query: Q
  /** The body with defaults filled in; undefined if the operation has no `checked` schema for it. */
  readonly body: B
}

/**
 * Adds the route of an operation to a router. The body is checked before the handler runs. The value that the handler
 * returns is the answer; a handler that returns undefined answers on its own. The status is set only if the operation
 * has just one.
 */
export function serve<Q, B, A, P extends string>(
  router: Router<RequestState>,
  { method, path, query, body, answers }: Operation<Q, B, A, P>,
  handle: (call: Call<Q, B, P>) => A | undefined | Promise<A | undefined>,
): void {
  const { prefix = "" } = router.opts
  const read = body?.checked === undefined ? null : bodyOf(body.checked)
  const statuses = Object.keys(answers).map(Number)
  router[method](routePath(path.slice(prefix.length)), async (ctx) => {
    const answer = await handle({
      ctx,
      path: ctx.params as Call<Q, B, P>["path"],
      query: queryOf(ctx, query ?? {}) as Q,
      body: read?.(ctx) as B,
    })
    if (answer === undefined) return
    ctx.body = answer
    if (statuses.length === 1) ctx.status = statuses[0]!
  })
}

/** Rewrites `/jobs/{id}` as routers write it: `/jobs/:id`. */
export const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1")

function bodyOf<T>(schema: Schema<T>): (ctx: Context) => T {
  const read = strictBody<T>(schema)
  const fields = Object.entries(schema["properties"] as Readonly<Record<string, JsonSchema>>)
  const defaults = fields.flatMap(([name, rules]) => ("default" in rules ? [[name, rules["default"]]] : []))
  return (ctx) => ({ ...Object.fromEntries(defaults), ...read(ctx) })
}

function queryOf(ctx: Context, schemas: JsonSchema): object {
  const readers = Object.entries(schemas).map(([name, schema]) => [
    name,
    { enumerable: true, get: () => read(ctx, name, schema as JsonSchema) },
  ])
  return Object.defineProperties({}, Object.fromEntries(readers) as PropertyDescriptorMap)
}

/** Reads a parameter by its schema. @throws ApiError 400 */
function read(ctx: Context, name: string, schema: JsonSchema): unknown {
  const value = schema["default"]
  if (schema["type"] === "integer") {
    const { minimum, maximum } = schema as { readonly minimum: number; readonly maximum: number }
    return wholeNumber(ctx, name, value as number | undefined, minimum, maximum)
  }
  if (schema["type"] === "boolean") return flagParameter(ctx, name)
  if (schema["format"] === "date-time") return timeParameter(ctx, name)
  const { enum: values } = schema as { readonly enum?: readonly string[] }
  return (values === undefined ? parameter(ctx, name) : oneOfParameter(ctx, name, values)) ?? value
}
