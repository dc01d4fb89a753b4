import type { JsonSchema } from "../schema/schemas.ts"

/** One field of a body or an answer, described in words. */
export interface FieldRow {
  /** `results[].title` */
  readonly name: string
  /** The allowed values; code is marked with backticks. */
  readonly values: string
  readonly required: boolean
  /** The default as written in JSON, or `null`. */
  readonly default: string | null
  readonly description: string
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** Maximum number of levels of nested objects that are shown, so that no row is too far from its parent. */
const MAX_LEVELS = 4

/** The fields of an object, including those of nested objects and lists, in the order of the schema. */
export function fieldRows(schema: JsonSchema, schemas: Schemas): FieldRow[] {
  return rowsOf(schema, "", 0)

  function rowsOf(given: JsonSchema, prefix: string, level: number): FieldRow[] {
    const object = fieldsOf(given)
    if (object === null || level >= MAX_LEVELS) return []
    const required = new Set(object["required"] as string[] | undefined)
    return Object.entries((object["properties"] ?? {}) as Schemas).flatMap(([field, rules]) => {
      const name = prefix + field
      const inner = resolved(rules)
      const value = rules["default"] ?? inner["default"]
      const row = {
        name,
        values: inWords(rules, schemas),
        required: required.has(field),
        default: value === undefined ? null : inJson(value),
        description: textOf(rules["description"] ?? inner["description"]),
      }
      const list = choices(inner).find(({ items }) => items !== undefined)
      return [
        row,
        ...rowsOf(inner, `${name}.`, level + 1),
        ...(list === undefined ? [] : rowsOf(list["items"] as JsonSchema, `${name}[].`, level + 1)),
      ]
    })
  }

  /** The schema itself, or the first of its choices, that has fields; `null` if there is none. */
  function fieldsOf(given: JsonSchema): JsonSchema | null {
    return choices(resolved(given)).find(({ properties }) => properties !== undefined) ?? null
  }

  function choices(given: JsonSchema): JsonSchema[] {
    const several = (given["anyOf"] ?? given["oneOf"]) as JsonSchema[] | undefined
    return several === undefined ? [given] : several.flatMap((one) => choices(resolved(one)))
  }

  function resolved(given: JsonSchema): JsonSchema {
    return resolve(given, schemas)
  }
}

/** A string unchanged, anything else as JSON. */
export const inJson = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The values that fit a schema: `` `a` or `b` ``, `whole number from 1 to 5`, `list of texts`. */
export function inWords(given: JsonSchema, schemas: Schemas): string {
  if (given["$ref"] === "#/components/schemas/NotSet") return ""
  const schema = resolve(given, schemas)
  const several = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined
  if (several !== undefined) {
    const words = several.map((one) => inWords(one, schemas)).filter((one) => one !== "")
    return [...new Set(words)].join(" or ")
  }
  if (schema["const"] !== undefined) return `\`${JSON.stringify(schema["const"])}\``
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].map((one) => `\`${one === null ? "null" : String(one)}\``).join(", ")
  }
  const types = [schema["type"] ?? "any"].flat() as string[]
  return types.map((type) => typeInWords(type, schema, schemas)).join(" or ")
}

function typeInWords(type: string, schema: JsonSchema, schemas: Schemas): string {
  switch (type) {
    case "string":
      return schema["format"] === "date-time" ? "time" : schema["format"] === "date" ? "date" : "text"
    case "integer":
      return `whole number${range(schema)}`
    case "number":
      return `number${range(schema)}`
    case "boolean":
      return "true or false"
    case "array":
      return `list of ${inWords((schema["items"] ?? {}) as JsonSchema, schemas)}`
    case "any":
      return "anything"
    default:
      return type
  }
}

function range({ minimum, maximum }: JsonSchema): string {
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) {
    return minimum === undefined || minimum === 0 ? "" : ` from ${grouped(minimum)}`
  }
  return minimum === undefined
    ? ` up to ${grouped(maximum)}`
    : ` from ${grouped(minimum)} to ${grouped(maximum)}`
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const grouped = (number: unknown): string => Number(number).toLocaleString("en")

function resolve(given: JsonSchema, schemas: Schemas): JsonSchema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(textOf(given["$ref"]))?.[1]
  return name === undefined ? given : resolve(schemas[name] ?? {}, schemas)
}
