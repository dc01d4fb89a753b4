import { Ajv, type ErrorObject, type ValidateFunction } from "ajv"

import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"

import { plainField } from "./published.ts"
import type { FieldSchema } from "../wire/validate.ts"
import type { Schema } from "../schema/schemas.ts"

/** The problem with one field of a body. */
export interface Problem {
  /** The field, such as `limits.pages`; empty for the whole body. */
  readonly field: string
  readonly message: string
}

/** All problems in one sentence. */
export const problemsText = (problems: readonly Problem[]): string =>
  `${problems.map(({ field, message }) => `${field} ${message}`.trim()).join("; ")}.`

/** A function that checks a body against a schema and lists its problems; fields that the schema doesn't have are errors. */
export function bodyCheck(schema: Schema): (body: unknown) => Problem[] {
  let validate: ValidateFunction | undefined
  return (body) => {
    // Compiled on first use: compiling dozens of validators would delay startup.
    validate ??= new Ajv({ ...OWN_SCHEMA, strict: true, allErrors: true, strictRequired: false }).compile({
      type: "object",
      additionalProperties: false,
      ...plainField(schema as FieldSchema),
    })
    return validate(body) ? [] : (validate.errors ?? []).map(problemOf)
  }
}

function problemOf({ keyword, instancePath, params, message }: ErrorObject): Problem {
  const field = instancePath.slice(1).replaceAll("/", ".")
  const within = (name: unknown) => (field === "" ? String(name) : `${field}.${String(name)}`)
  switch (keyword) {
    case "additionalProperties":
      return { field: within(params["additionalProperty"]), message: "isn't a field of this call" }
    case "required":
      return { field: within(params["missingProperty"]), message: "is missing" }
    case "enum":
      return { field, message: `must be one of ${(params["allowedValues"] as string[]).join(", ")}` }
    default:
      return { field, message: message ?? "is wrong" }
  }
}
