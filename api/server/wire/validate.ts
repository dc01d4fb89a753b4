import { Ajv, type ErrorObject, type ValidateFunction } from "ajv"

import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import { badRequest } from "../../errors.ts"
import type { JsonSchema, Schema } from "../schema/schemas.ts"

/** A JSON schema of a request body of type `T`, in the vocabulary of draft-07 plus the notes below. */
export type RequestSchema<T> = Schema<T> & {
  readonly type: "object"
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, JsonSchema>>
}

export interface FieldSchema {
  /** One sentence for the API reference; the handbook says more. */
  readonly description?: string
  /** The format, for the API reference only; the code does the checking. */
  readonly format?: "date" | "regex"
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object"
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: FieldSchema
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  /** For an object: its fields, and the names of the required ones. */
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly FieldSchema[]
  readonly pattern?: string
  readonly default?: unknown
  /** The allowed values in words, for a schema whose automatic description would read badly. */
  readonly "x-allowed"?: string
  /** The whole message for a missing required field. */
  readonly "x-missing"?: string
  /** The whole message for a list with too many entries. */
  readonly "x-too-many"?: string
  /** For a list that limits access: blank entries are refused, because they could be read as "no limit". */
  readonly "x-blank-entries"?: "refused"
  /** Rules that the code checks, written as a schema for the API reference. */
  readonly "x-judged"?: Readonly<Record<string, unknown>>
}

/**
 * Makes a reader of request bodies. It keeps the fields in the schema, fills in defaults, and refuses the first wrong
 * value with a message that names the field and the allowed values. Null, blank strings, empty lists and lists of blank
 * strings count as "not set", because clients send them for options their users left alone.
 */
export function bodyReader<T>(schema: RequestSchema<T>): (body: Readonly<Record<string, unknown>>) => T {
  const ajv = new Ajv({
    ...OWN_SCHEMA,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    useDefaults: true,
    validateFormats: false,
  })
  for (const keyword of ["x-allowed", "x-missing", "x-too-many", "x-blank-entries", "x-judged"])
    ajv.addKeyword(keyword)
  const required = new Set(schema.required)
  const properties = schema.properties as Readonly<Record<string, FieldSchema>>
  let validate: ValidateFunction | undefined
  return (body) => {
    validate ??= ajv.compile(schema)
    const fields = Object.entries(properties).map(([field, rules]): [string, unknown] => [
      field,
      rules["x-blank-entries"] !== "refused" && !required.has(field) && listsTexts(rules)
        ? withoutBlanks(body[field])
        : body[field],
    ])
    const known = Object.fromEntries(fields.filter(([, value]) => isSet(value)))
    if (!validate(known)) throw badRequest(explain(properties, validate.errors![0]!))
    return known as T
  }
}

export function isSet(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === "string") return value.trim() !== ""
  return !Array.isArray(value) || value.length > 0
}

const listsTexts = ({ type, items, anyOf }: FieldSchema): boolean =>
  (type === "array" && items?.type === "string") || (anyOf?.some(listsTexts) ?? false)

const withoutBlanks = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter((entry) => typeof entry !== "string" || entry.trim() !== "") : value

function explain(properties: Readonly<Record<string, FieldSchema>>, error: ErrorObject): string {
  if (error.keyword === "required" && error.instancePath === "") {
    const field = String(error.params["missingProperty"])
    const rules = properties[field]!
    return rules["x-missing"] ?? `Missing ${field}. Must be ${allowed(rules)}.`
  }
  const { name, rules } = innermost(properties, stepsTo(error))
  if (error.keyword === "maxItems" && rules["x-too-many"] !== undefined) return rules["x-too-many"]
  return `Invalid ${name}. Must be ${allowed(rules)}.`
}

/** The path to the error; for a missing field, the path to that field. */
function stepsTo({ keyword, instancePath, params }: ErrorObject): readonly string[] {
  const steps = instancePath.slice(1).split("/")
  return keyword === "required" ? [...steps, String(params["missingProperty"])] : steps
}

/** The field at the end of a path, such as `files[0].name`, with its own rules. Entries that are not objects are named after their list. */
function innermost(
  properties: Readonly<Record<string, FieldSchema>>,
  [field, place, ...rest]: readonly string[],
): { readonly name: string; readonly rules: FieldSchema } {
  const rules = properties[field!]!
  const inner = rules.items?.properties
  if (inner === undefined || rest.length === 0 || inner[rest[0]!] === undefined)
    return { name: field!, rules }
  const below = innermost(inner, rest)
  return { name: `${field}[${place}].${below.name}`, rules: below.rules }
}

const allowed = (rules: FieldSchema): string => {
  const choices = describe(rules)
  return choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`
}

function describe(rules: FieldSchema): string[] {
  if (rules["x-allowed"] !== undefined) return [rules["x-allowed"]]
  if (rules.anyOf !== undefined) return rules.anyOf.flatMap(describe)
  if (rules.enum !== undefined) return rules.enum.map((value) => `'${value}'`)
  switch (rules.type) {
    case "boolean":
      return ["true", "false"]
    case "integer":
      return [`a whole number ${range(rules)}`.trimEnd()]
    case "number":
      return [`a number ${range(rules)}`.trimEnd()]
    case "object":
      return ["an object"]
    case "array":
      return [
        `a list of ${rules.items?.type === "object" ? "objects" : "strings"}` +
          (rules.maxItems === undefined ? "" : ` with at most ${rules.maxItems} entries`),
      ]
    default:
      return [
        rules.maxLength === undefined ? "a string" : `a string of at most ${rules.maxLength} characters`,
      ]
  }
}

function range({ minimum, maximum }: FieldSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`
  return minimum === undefined ? "" : `of at least ${minimum}`
}
