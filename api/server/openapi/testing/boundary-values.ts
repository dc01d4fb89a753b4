import type { JsonSchema } from "../../schema/schemas.ts"

/** A value to try out, and the field to try it on. */
export interface Trial {
  /** `limits.pages`, `files[0].name`. */
  readonly field: string
  /** The value of the outermost field that contains this one; `undefined`: the field is left out. */
  readonly value: unknown
}

type Resolve = (schema: JsonSchema) => JsonSchema

const MAX_LEVELS = 5
const ALL_TYPES: readonly unknown[] = [null, "", " \t", [], {}, "x", -1, 1.5, true, [[]], [null], [1]]
/** One value of each type, for nested fields: their types are read in the same way as at the top level. */
const EACH_TYPE: readonly unknown[] = [null, "", [], {}, -1, true]

/**
 * Values at and beyond each bound of a schema, and values of other types, including values that the schema allows.
 * Inside objects and lists each field is tried alone; the others are as in `sampleOf`.
 * @param resolve replaces references with their targets
 */
export function boundaryTrials(
  field: string,
  schema: JsonSchema,
  resolve: Resolve,
  level = 0,
): readonly Trial[] {
  const types = level === 0 ? ALL_TYPES : EACH_TYPE
  const single = [...types, ...choicesOf(schema, resolve).flatMap((one) => ownBounds(one, resolve))]
  const own = distinct(single).map((value) => ({ field, value }))
  if (level >= MAX_LEVELS) return own
  return [...own, ...choicesOf(schema, resolve).flatMap((one) => innerTrials(field, one, resolve, level))]
}

function innerTrials(field: string, schema: JsonSchema, resolve: Resolve, level: number): readonly Trial[] {
  const items = schema["items"] as JsonSchema | undefined
  const inList =
    items === undefined
      ? []
      : boundaryTrials(`${field}[0]`, items, resolve, level + 1).map((one) => ({
          ...one,
          value: [one.value],
        }))
  const whole = sampleOf(schema, resolve)
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>)
  const inObject = members.flatMap(([name, one]) =>
    [
      ...boundaryTrials(`${field}.${name}`, one, resolve, level + 1),
      { field: `${field}.${name}`, value: undefined },
    ].map((trial) => ({ ...trial, value: { ...(whole as object), [name]: trial.value } })),
  )
  const closed = schema["additionalProperties"] === false
  const unknown = closed ? [{ field, value: { ...(whole as object), "no-such-field": 1 } }] : []
  return [...inList, ...inObject, ...unknown]
}

/** The bounds of a schema that is not a choice. */
function ownBounds(schema: JsonSchema, resolve: Resolve): unknown[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, enum: named } = schema
  const step = [schema["type"]].flat().includes("integer") ? 1 : 0.5
  const numbers = [minimum, maximum, exclusiveMinimum]
    .filter((one) => typeof one === "number")
    .filter((one) => Math.abs(one) < Number.MAX_SAFE_INTEGER)
    .flatMap((one) => [one - step, one, one + step])
  const text = String(sampleOf({ ...schema, type: "string" }, resolve))
  const lengths = [minLength, maxLength]
    .filter((one) => typeof one === "number")
    .flatMap((one) => [one - 1, one, one + 1])
    .filter((one) => one >= text.length)
    // A character beyond the Basic Multilingual Plane counts as one.
    .flatMap((one) => [text.padEnd(one, "a"), text + "\u{1F331}".repeat(one - text.length)])
  const counts = [minItems, maxItems]
    .filter((one) => typeof one === "number")
    .flatMap((one) => [one - 1, one, one + 1])
    .filter((one) => one >= 0)
    .map((length) => Array.from({ length }, () => sampleOf((schema["items"] ?? {}) as JsonSchema, resolve)))
  const words = Array.isArray(named) ? [...(named as unknown[]), `${String(named[0])}-not`] : []
  return [sampleOf(schema, resolve), ...numbers, ...lengths, ...counts, ...words]
}

/** A value that a schema allows: an example if it has one, since no value can be derived from a pattern. */
export function sampleOf(given: JsonSchema, resolve: Resolve): unknown {
  const schema = choicesOf(given, resolve)[0]!
  if (Array.isArray(schema["examples"])) return schema["examples"][0]
  if (schema["const"] !== undefined) return schema["const"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  const [type] = [schema["type"] ?? (schema["properties"] ? "object" : "any")].flat() as string[]
  switch (type) {
    case "string":
      return schema["format"] === "date" ? "2026-01-31" : "x"
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? 1)
    case "boolean":
      return true
    case "array":
      return [sampleOf((schema["items"] ?? {}) as JsonSchema, resolve)]
    case "object": {
      const members = (schema["properties"] ?? {}) as Record<string, JsonSchema>
      const required = (schema["required"] ?? []) as readonly string[]
      const named = Object.fromEntries(required.map((name) => [name, sampleOf(members[name] ?? {}, resolve)]))
      const others = schema["additionalProperties"]
      return typeof others === "object" && required.length === 0 && Object.keys(members).length === 0
        ? { x: sampleOf(others as JsonSchema, resolve) }
        : named
    }
    default:
      return "x"
  }
}

/** The kinds of value that a schema allows, each with the rules that apply to all of them. */
function choicesOf(given: JsonSchema, resolve: Resolve): readonly JsonSchema[] {
  const { anyOf, oneOf, ...common } = resolve(given)
  const several = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined
  if (several === undefined) return [common]
  return several.flatMap((one) => choicesOf(one, resolve)).map((one) => ({ ...common, ...one }))
}

const distinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
