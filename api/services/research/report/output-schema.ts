import { Refusal } from "#base/errors.ts"

/** One value of a structured report. */
export interface OutputField {
  readonly type: "object" | "string" | "integer" | "number" | "array"
  readonly description?: string
  /** For an object. */
  readonly properties?: Readonly<Record<string, OutputField>>
  readonly required?: readonly string[]
  /** For an array. */
  readonly items?: OutputField
}

export interface OutputSchema {
  readonly properties: Readonly<Record<string, OutputField>>
  readonly required?: readonly string[]
}

const SINGLE_TYPES: readonly string[] = ["string", "integer", "number"]
const TYPES: readonly string[] = ["object", ...SINGLE_TYPES, "array"]
/** Limits on a form: each value costs a search, and a more deeply nested value no longer makes sense as a question. */
const MAX_DEPTH = 5
const MAX_VALUES = 60

const OUTPUT_FIELD = { $ref: "#/components/schemas/OutputField" }

/**
 * The schemas that {@link checkOutputSchema} accepts, insofar as a schema can express them, for `#/components/schemas`.
 */
export const outputSchemas = {
  OutputSchema: {
    type: "object",
    description: `The form of a report: at most ${MAX_VALUES} values, nested at most ${MAX_DEPTH} levels deep.`,
    required: ["properties"],
    ...members(),
  },
  OutputField: {
    anyOf: [
      valueOf({ enum: SINGLE_TYPES }),
      { ...valueOf({ const: "object" }, members()), required: ["type", "properties"] },
      {
        ...valueOf({ const: "array" }, { properties: { items: OUTPUT_FIELD } }),
        required: ["type", "items"],
      },
    ],
  },
}

function members() {
  return {
    properties: {
      properties: { type: "object", minProperties: 1, additionalProperties: OUTPUT_FIELD },
      required: { type: "array", items: { type: "string" }, description: "Names among `properties`." },
    },
  }
}

function valueOf(type: object, { properties }: { readonly properties?: object } = {}) {
  return {
    type: "object",
    required: ["type"],
    properties: {
      type,
      description: { type: "string", description: "What the value is; each costs a search." },
      ...properties,
    },
  }
}

/**
 * The form that a report must have.
 * @throws Refusal naming the location in the schema
 */
export function checkOutputSchema(given: unknown): OutputSchema {
  let values = 0
  const refuse = (place: string, rule: string) => new Refusal("wrong", `Invalid ${place}. Must be ${rule}.`)

  function properties(value: unknown, place: string, depth: number): Record<string, OutputField> {
    const named = record(value)
    if (!named || Object.keys(named).length === 0) {
      throw refuse(`${place}.properties`, "an object with at least one property")
    }
    const checked = Object.entries(named).map(([name, one]): [string, OutputField] => [
      name,
      field(one, `${place}.properties.${name}`, depth),
    ])
    // Copied instead of used as received, because a property may be called `__proto__`.
    return Object.fromEntries(checked)
  }

  function required(value: unknown, place: string, known: object): { required?: readonly string[] } {
    if (value === undefined) return {}
    if (
      !Array.isArray(value) ||
      !value.every((name) => typeof name === "string" && Object.hasOwn(known, name))
    ) {
      throw refuse(`${place}.required`, "a list of names among its properties")
    }
    return { required: value as string[] }
  }

  function field(value: unknown, place: string, depth: number): OutputField {
    const given = record(value)
    if (!given || typeof given["type"] !== "string" || !TYPES.includes(given["type"])) {
      throw refuse(`${place}.type`, TYPES.map((type) => `'${type}'`).join(", "))
    }
    if (given["description"] !== undefined && typeof given["description"] !== "string") {
      throw refuse(`${place}.description`, "a string")
    }
    if (depth > MAX_DEPTH) throw refuse(place, `nested at most ${MAX_DEPTH} levels deep`)
    if (++values > MAX_VALUES) throw refuse("output_schema", `at most ${MAX_VALUES} values`)
    const about = {
      type: given["type"] as OutputField["type"],
      ...(given["description"] !== undefined && { description: given["description"] }),
    }
    if (about.type === "object") {
      const inner = properties(given["properties"], place, depth + 1)
      return { ...about, properties: inner, ...required(given["required"], place, inner) }
    }
    if (about.type === "array") return { ...about, items: field(given["items"], `${place}.items`, depth + 1) }
    return about
  }

  const schema = record(given)
  if (!schema) throw refuse("output_schema", "an object with properties")
  const inner = properties(schema["properties"], "output_schema", 1)
  return { properties: inner, ...required(schema["required"], "output_schema", inner) }
}

const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
