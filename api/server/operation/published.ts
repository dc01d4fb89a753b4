import type { FieldSchema, RequestSchema } from "../wire/validate.ts"
import type { Body } from "./operation.ts"
import { type Fields, type JsonSchema, object, type ObjectOf, ref, type Schema } from "../schema/schemas.ts"

/** Values that `bodyReader` treats as "left out". */
const BLANK: JsonSchema = { type: "string", pattern: "^[ \\t\\r\\n]*$" }

export const notSet: JsonSchema = {
  description: "The same as leaving the field out: null, blank text or an empty list.",
  anyOf: [{ type: "null" }, BLANK, { type: "array", maxItems: 0 }],
}

/** Schemas with further rules for fields, by field name; the check of the body itself doesn't use them. */
export type Narrower = Readonly<Record<string, JsonSchema>>

/**
 * The schema of a request body as callers see it: the schema that checks bodies, plus the ways of leaving out a field
 * that are handled before the check, and without the texts used in messages.
 *
 * @param narrower rules that the endpoint's own code checks, as far as a schema can express them
 */
export function publishedBody<T>(schema: RequestSchema<T>, narrower: Narrower = {}): JsonSchema {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties as Readonly<Record<string, FieldSchema>>)
  return {
    type: "object",
    required: [...required],
    properties: Object.fromEntries(
      fields.map(([name, field]) => [
        name,
        publishedField({ ...field, ...field["x-judged"], ...narrower[name] }, required.has(name)),
      ]),
    ),
    ...(schema["x-judged"] as JsonSchema | undefined),
  }
}

/**
 * A body that accepts only the schema's fields.
 *
 * @param rules rules for the whole body that the handler checks, and whether the body is required even if none of its
 * fields is
 */
export function closedBody<T>(
  checked: Schema<T>,
  {
    required = (checked["required"] as readonly string[]).length > 0,
    ...rules
  }: JsonSchema & { readonly required?: boolean } = {},
): Body<T> {
  const properties = Object.entries(checked["properties"] as Readonly<Record<string, FieldSchema>>)
  return {
    checked,
    required,
    schema: {
      ...plainField(checked as FieldSchema),
      properties: Object.fromEntries(
        properties.map(([name, field]) => [name, { ...plainField(field), ...field["x-judged"] }]),
      ),
      additionalProperties: false,
      ...rules,
    },
  }
}

/** Like {@link closedBody}, but for an object with these fields. */
export const bodyOf = <const F extends Fields>(
  fields: F,
  rules?: JsonSchema & { readonly required?: boolean },
): Body<ObjectOf<F>> => closedBody(object(fields), rules)

function publishedField(field: FieldSchema, required: boolean): JsonSchema {
  const { description, default: value, ...rules } = plainField(field)
  const about = {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  }
  // A field without rules accepts anything.
  if (required || Object.keys(rules).length === 0) return { ...rules, ...about }
  const choices = Array.isArray(rules["anyOf"]) ? (rules["anyOf"] as JsonSchema[]) : [rules]
  const taken = field["x-blank-entries"] === "refused" ? choices : choices.map(withBlankEntries)
  return { anyOf: [...taken, ref("NotSet")], ...about }
}

/** A list of fixed values accepts blank entries, too: they are dropped. */
function withBlankEntries(choice: JsonSchema): JsonSchema {
  const items = choice["items"] as JsonSchema | undefined
  return items?.["enum"] === undefined ? choice : { ...choice, items: { anyOf: [items, BLANK] } }
}

/** The field without the notes that are used only for messages. */
export function plainField(field: FieldSchema): Record<string, unknown> {
  const { items, properties, ...rules } = Object.fromEntries(
    Object.entries(field).filter(([keyword]) => !keyword.startsWith("x-")),
  ) as FieldSchema
  const inner = Object.entries(properties ?? {}).map(([name, one]) => [name, plainField(one)])
  return {
    ...rules,
    ...(items && { items: plainField(items) }),
    ...(properties && { properties: Object.fromEntries(inner) as object }),
  }
}

/** The schema of one definition, with every `$ref` replaced by its target. */
export function inlined(root: JsonSchema, at: string): JsonSchema {
  const found = at
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((node, step) => (node as JsonSchema)[step], root)
  return resolve(found) as JsonSchema

  function resolve(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(resolve)
    if (typeof node !== "object" || node === null) return node
    const { $ref, discriminator, ...rest } = node as Record<string, unknown>
    const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolve(value)]))
    if (typeof $ref === "string") return { ...inlined(root, $ref), ...own }
    return discriminator === undefined ? own : nullBesideKinds(own)
  }
}

/**
 * The validator checks a discriminator only in objects. Strictly speaking, null matches every kind at once, and so
 * fails `oneOf`: here null is listed next to the kinds.
 */
function nullBesideKinds({
  oneOf,
  description,
  default: value,
  ...rest
}: Record<string, unknown>): JsonSchema {
  return {
    anyOf: [{ type: "null" }, { ...rest, type: "object", oneOf }],
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  }
}
