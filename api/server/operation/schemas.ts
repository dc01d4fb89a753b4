import type { JsonSchema } from "./operation.ts"

// Short ways to write the schemas of answers.

export const text = (description?: string): JsonSchema => ({ type: "string", ...describe(description) })
export const count = (description?: string): JsonSchema => ({
  type: "integer",
  minimum: 0,
  ...describe(description),
})
export const yesNo = (description?: string): JsonSchema => ({ type: "boolean", ...describe(description) })
export const time = (description?: string): JsonSchema => ({
  type: "string",
  format: "date-time",
  ...describe(description),
})
export const oneOf = (values: readonly string[], description?: string): JsonSchema => ({
  type: "string",
  enum: values,
  ...describe(description),
})
export const listOf = (items: JsonSchema, description?: string): JsonSchema => ({
  type: "array",
  items,
  ...describe(description),
})
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** A schema that null fits too. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema["type"] === "string" && schema["enum"] === undefined) {
    return { ...schema, type: [schema["type"], "null"] }
  }
  const { description, ...rest } = schema
  return { anyOf: [rest, { type: "null" }], ...(description !== undefined && { description }) }
}

/**
 * An object. All fields are always there but those in `optional`.
 *
 * Further fields are allowed, so that an answer may grow without breaking those who check it; the tests allow none.
 */
export function object(
  fields: Readonly<Record<string, JsonSchema>>,
  {
    optional = {},
    description,
  }: { optional?: Readonly<Record<string, JsonSchema>>; description?: string } = {},
): JsonSchema {
  return {
    type: "object",
    required: Object.keys(fields),
    properties: { ...fields, ...optional },
    ...describe(description),
  }
}

const describe = (description: string | undefined) => description !== undefined && { description }
