/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>

// Short ways to write JSON Schema, each with the TypeScript type of the values that match it. Requests are read as that
// type and responses must have it, so that one schema serves Ajv, the compiler and the OpenAPI document.

declare const fitting: unique symbol

/** A JSON Schema for values of type `T`. */
export type Schema<T = unknown> = JsonSchema & { readonly [fitting]?: T }

/** The type of the values that match a schema. */
export type Of<S> = S extends { readonly [fitting]?: infer T } ? T : never

/** A field that gets its default value when left out. */
type Defaulted = { readonly default: unknown }

/** Fields of an object, by name. */
export type Fields = Readonly<Record<string, JsonSchema>>
type Left<F> = {
  [K in keyof F]: F[K] extends Defaulted ? never : F[K] extends Optional ? K : never
}[keyof F]
/** The type of an object with these fields: optional ones may be missing, fields with a default are filled in. */
export type ObjectOf<F> = { readonly [K in Exclude<keyof F, Left<F>>]: Of<F[K]> } & {
  readonly [K in Left<F>]?: Of<F[K]>
}

const schema = <T>(rules: JsonSchema, description?: string, more?: JsonSchema): Schema<T> => ({
  ...rules,
  ...(description !== undefined && { description }),
  ...more,
})

export const text = (description?: string, more?: JsonSchema) =>
  schema<string>({ type: "string" }, description, more)
export const number = (description?: string, more?: JsonSchema) =>
  schema<number>({ type: "number" }, description, more)
/** A non-negative number. */
export const amount = (description?: string) => number(description, { minimum: 0 })
/** A number from 0 to 1. */
export const share = (description?: string) => number(description, { minimum: 0, maximum: 1 })
export const count = (description?: string, more?: JsonSchema) =>
  schema<number>({ type: "integer", minimum: 0 }, description, more)
/** A whole number in a range. */
export const whole = (minimum: number, maximum: number, description?: string, more?: JsonSchema) =>
  schema<number>({ type: "integer", minimum, maximum }, description, more)
export const yesNo = (description?: string, more?: JsonSchema) =>
  schema<boolean>({ type: "boolean" }, description, more)
/** A time; a string in JSON. */
export const time = (description?: string) =>
  schema<Date | string>({ type: "string", format: "date-time" }, description)
export const oneOf = <const V extends string>(
  values: readonly V[],
  description?: string,
  more?: JsonSchema,
) => schema<V>({ type: "string", enum: values }, description, more)
/** Any value. */
export const anything = (description?: string, more?: JsonSchema) => schema<unknown>({}, description, more)
export const always = <const V>(value: V, description?: string) => schema<V>({ const: value }, description)
export const listOf = <S extends JsonSchema>(items: S, description?: string, more?: JsonSchema) =>
  schema<readonly Of<S>[]>({ type: "array", items }, description, more)
export const anyOf = <const S extends readonly JsonSchema[]>(
  choices: S,
  description?: string,
  more?: JsonSchema,
) => schema<Of<S[number]>>({ anyOf: choices }, description, more)
/** An object of any form. */
export const anyObject = (description?: string) => schema<object>({ type: "object" }, description)
/** An object with any field names, whose values all match one schema. */
export const byName = <S extends JsonSchema>(values: S, description?: string) =>
  schema<Readonly<Record<string, Of<S>>>>({ type: "object", additionalProperties: values }, description)

/** A schema with a default value. */
export const withDefault = <S extends JsonSchema>(given: S, value: Of<S>): Schema<Of<S>> & Defaulted => ({
  ...given,
  default: value,
})
/** A boolean that defaults to false. */
export const flag = (description: string) => withDefault(yesNo(description), false)

/** A schema that also allows null. */
export function orNull<S extends JsonSchema>(given: S): Schema<Of<S> | null> {
  if (typeof given["type"] === "string" && given["enum"] === undefined) {
    return { ...given, type: [given["type"], "null"] }
  }
  const { description, ...rest } = given
  return schema({ anyOf: [rest, { type: "null" }] }, description as string | undefined)
}

const isOptional = Symbol("optional")
type Optional = { readonly [isOptional]: true }

/** Marks fields of an object as optional. Fields with a default need not be marked. */
export const optional = <const F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, given]) => [name, { ...given, [isOptional]: true }]),
  ) as { readonly [K in keyof F]: F[K] & Optional }

/**
 * An object. All fields are required unless they are optional or have a default.
 *
 * Additional fields are allowed, so that an answer can grow without breaking clients that check it; the tests allow
 * none.
 */
export const object = <const F extends Fields>(
  fields: F,
  description?: string,
  more?: JsonSchema,
): ObjectSchema<F> => ({
  type: "object",
  required: Object.entries(fields).flatMap(([name, given]) =>
    isOptional in given || "default" in given ? [] : [name],
  ),
  properties: fields,
  ...(description !== undefined && { description }),
  ...more,
})

type ObjectSchema<F> = Schema<ObjectOf<F>> & {
  readonly type: "object"
  readonly required: readonly string[]
  readonly properties: F
}

/** The definition behind a reference; it is left out of the JSON. */
const definition = Symbol("definition")

const withDefinition = <T>(reference: Schema<T>, given: JsonSchema): Schema<T> => ({
  ...reference,
  [definition]: given,
})

/** A schema that the OpenAPI document defines once, under a name. */
export const named = <S extends JsonSchema>(name: string, given: S): Schema<Of<S>> =>
  withDefinition<Of<S>>(ref(name), given)

export const namedObject = <const F extends Fields>(
  name: string,
  ...given: readonly [fields: F, description?: string, more?: JsonSchema]
): Schema<ObjectOf<F>> => named(name, object(...given))

/** The definition of a schema made by {@link named}, or the schema itself. */
export const definitionOf = (given: JsonSchema): JsonSchema =>
  (given as { readonly [definition]?: JsonSchema })[definition] ?? given

/** A reference to a schema that is defined elsewhere. */
export const ref = <T = unknown>(name: string): Schema<T> => ({ $ref: `#/components/schemas/${name}` })

/** All named schemas in a value, directly or through other named schemas. */
export function namedIn(node: unknown, found: Map<string, JsonSchema> = new Map()): Map<string, JsonSchema> {
  if (typeof node !== "object" || node === null) return found
  const given = node as JsonSchema
  const defined = definitionOf(given)
  if (defined !== given) {
    const name = String(given["$ref"]).split("/").at(-1)!
    if (found.get(name) === defined) return found
    if (found.has(name)) throw new Error(`Two schemas are named ${name}.`)
    found.set(name, defined)
    namedIn(defined, found)
  }
  for (const value of Object.values(given)) namedIn(value, found)
  return found
}
