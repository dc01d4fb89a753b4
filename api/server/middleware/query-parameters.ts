import type { Context, Middleware } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { jsonBody } from "./json-body.ts"
import { bodyCheck, type Problem, problemsText } from "../operation/body-check.ts"
import type { Schema } from "../schema/schemas.ts"
import { NOT_BLANK } from "../wire/characters.ts"

const SAYS_SOMETHING = new RegExp(NOT_BLANK, "u")

export function wholeNumber<V extends number | undefined>(
  ctx: Context,
  name: string,
  value: V,
  min: number,
  max: number,
): number | V {
  const text = parameter(ctx, name)
  if (text === undefined) return value
  const number = Number(text)
  if (!/^\d{1,16}$/.test(text) || number < min || number > max) {
    throw badRequest(`Invalid ${name}. Must be a whole number from ${min} to ${max}.`)
  }
  return number
}

/** The value of a named parameter in the route's path. */
export const pathParameter = (ctx: Context, name: string): string =>
  (ctx as Context & { readonly params: Readonly<Record<string, string>> }).params[name] ?? ""

/** A query parameter. */
export function parameter(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (Array.isArray(value)) throw badRequest(`Invalid ${name}. It is given more than once.`)
  if (value !== undefined && !SAYS_SOMETHING.test(value))
    throw badRequest(`Invalid ${name}. It is empty; leave it out instead.`)
  return value
}

/** A time in a query parameter, in milliseconds since 1970. */
export function timeParameter(ctx: Context, name: string): number | undefined {
  const text = parameter(ctx, name)
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw badRequest(`Invalid ${name}. Must be a time like 2026-01-31T00:00:00Z.`)
  return time
}

export function oneOfParameter<T extends string>(
  ctx: Context,
  name: string,
  values: readonly T[],
): T | undefined {
  const text = parameter(ctx, name)
  const found = values.find((one) => one === text)
  if (text !== undefined && found === undefined) {
    throw badRequest(`Invalid ${name}. Must be one of ${values.join(", ")}.`)
  }
  return found
}

export function flagParameter(ctx: Context, name: string): boolean {
  return oneOfParameter(ctx, name, ["true", "false"]) === "true"
}

/** Reads a JSON body if there is one; otherwise the body is an empty object. */
export function optionalJsonBody(limit: number): Middleware {
  const read = jsonBody(limit)
  return async (ctx, next) => {
    const { "content-length": length, "transfer-encoding": encoding } = ctx.req.headers
    if ((length === undefined || length === "0") && encoding === undefined) {
      ctx.state.body = {}
      await next()
    } else await read(ctx, next)
  }
}

/** The refusal of a body that is valid JSON but cannot be processed. */
export function unprocessable(problems: readonly Problem[]): ApiError {
  return new ApiError(422, problemsText(problems), { problems })
}

/** A reader of bodies that accepts only the schema's fields. */
export function strictBody<T>(schema: Schema<T>): (ctx: Context) => T {
  const check = bodyCheck(schema)
  return (ctx) => {
    const problems = check(ctx.state.body)
    if (problems.length > 0) throw unprocessable(problems)
    return ctx.state.body as T
  }
}
