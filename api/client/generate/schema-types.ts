import type { JsonSchema } from "../../server/schema/schemas.ts"

/** Pattern for blank text, which a body accepts in place of an omitted field; typed callers omit the field instead. */
const BLANK_PATTERN = "^[ \\t\\r\\n]*$"
const REFERENCE = /^#\/components\/schemas\/(\w+)$/

/**
 * Converts a schema in the document to a TypeScript type. Lists and fields are readonly, so that callers can pass
 * values that must not be modified; rules that types cannot express, such as bounds, are left to the server.
 *
 * @param depth number of steps by which an object's lines are indented
 * @throws Error for an unknown keyword or reference, so that a type is never wider than its schema without anyone
 * noticing
 */
export function typeOf(schema: JsonSchema, depth = 0): string {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword))
  if (unknown.length > 0) throw new Error(`cannot make a type from the keywords ${unknown.join(", ")}`)
  const { $ref, enum: values, anyOf, oneOf, type } = schema
  if (typeof $ref === "string") return referenceTo($ref)
  if ("const" in schema) return JSON.stringify(schema["const"])
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  const choices = ((anyOf ?? oneOf) as readonly JsonSchema[] | undefined)?.filter(saysMore)
  const isObject = schema["properties"] !== undefined
  if (choices !== undefined && choices.length > 0) {
    const chosen = union(choices.filter((one) => !isBlank(one)).map((one) => typeOf(one, depth)))
    return isObject ? `${objectOf(schema, depth)} & (${chosen})` : chosen
  }
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one as string }, depth)))
  return plainType(schema, depth)
}

/** The known keywords: those that are read here, and those that a type cannot express. */
const KNOWN = new Set(
  `$ref const enum anyOf oneOf type properties required additionalProperties items description default examples format
   pattern minimum maximum exclusiveMinimum minLength maxLength minItems maxItems uniqueItems minProperties maxProperties
   dependentRequired if then else`.split(/\s+/),
)

function plainType(schema: JsonSchema, depth: number): string {
  switch (schema["type"]) {
    case "string":
    case "boolean":
    case "null":
      return schema["type"]
    case "integer":
    case "number":
      return "number"
    case "array":
      return `readonly ${bracketed(typeOf((schema["items"] as JsonSchema | undefined) ?? {}, depth))}[]`
    case "object":
      return objectOf(schema, depth)
    case undefined:
      return schema["properties"] === undefined ? "unknown" : objectOf(schema, depth)
    default:
      throw new Error(`cannot make a type from the type ${JSON.stringify(schema["type"])}`)
  }
}

function objectOf(schema: JsonSchema, depth: number): string {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
    additionalProperties?: JsonSchema | boolean
  }
  const fields = Object.entries(properties)
  if (fields.length === 0) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "unknown"
    return `{ readonly [name: string]: ${value} }`
  }
  const indent = "  ".repeat(depth + 1)
  const lines = fields.map(([name, field]) => {
    const { description } = field
    const about = typeof description === "string" ? `${indent}/** ${oneLine(description)} */\n` : ""
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)
    const type = typeOf(field, depth + 1)
    const mayMiss = !required.includes(name)
    return `${about}${indent}readonly ${key}${mayMiss ? "?" : ""}: ${type}${mayMiss && type !== "unknown" ? " | undefined" : ""}\n`
  })
  return `{\n${lines.join("")}${"  ".repeat(depth)}}`
}

/** Makes text safe for use in a one-line comment. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("*/", "* /")

function referenceTo(reference: string): string {
  const name = REFERENCE.exec(reference)?.[1]
  if (name === undefined) throw new Error(`cannot make a type from the reference ${reference}`)
  return name === "NotSet" ? "null" : typeName(name)
}

/** Renames `Error`, because JavaScript already has one. */
export const typeName = (name: string): string => (name === "Error" ? "ErrorAnswer" : name)

const union = (types: readonly string[]): string => {
  const all = [...new Set(types)]
  return all.includes("unknown") ? "unknown" : all.join(" | ")
}

/** Puts a type in parentheses where necessary, so that `[]` can follow it. */
const bracketed = (type: string): string => (/^[\w$]+$/.test(type) ? type : `(${type})`)

/** Whether a choice specifies anything other than which fields are required together. */
const saysMore = (choice: JsonSchema): boolean =>
  Object.keys(choice).some((keyword) => !["required", "description"].includes(keyword))

const isBlank = ({ pattern }: JsonSchema): boolean => pattern === BLANK_PATTERN
