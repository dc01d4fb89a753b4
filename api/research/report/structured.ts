import { Ajv } from "ajv"

import type { Hit } from "#engine"

import type { OutputField, OutputSchema } from "./output-schema.ts"

export interface Structured {
  readonly content: Readonly<Record<string, unknown>>
  /** Paths of the values that nothing found gives, such as `company.founded`; they are null. */
  readonly missing: readonly string[]
  /** Pages that the values were taken from. */
  readonly hits: readonly Hit[]
}

/** A statement that answers, and the page it stands in. */
export interface Answering {
  readonly text: string
  readonly hit: Hit
}

/** Entries of a list at most. */
const MAX_ITEMS = 10

/**
 * Fills a form from what pages state: each value is a question, put together of the input, the names above the value and
 * its description. A text is what a page says, word by word; a number the first in it. What no page says is null.
 *
 * @param answer the statements that answer a question, best pages first; empty when none does
 */
export async function fillSchema(
  input: string,
  { properties }: OutputSchema,
  answer: (question: string) => Promise<readonly Answering[]>,
): Promise<Structured> {
  const missing: string[] = []
  const hits = new Set<Hit>()

  async function object(fields: Readonly<Record<string, OutputField>>, path: readonly string[]) {
    const filled: [string, unknown][] = []
    for (const [name, field] of Object.entries(fields)) {
      filled.push([name, await value(field, [...path, name])])
    }
    return Object.fromEntries(filled)
  }

  async function value(field: OutputField, path: readonly string[]): Promise<unknown> {
    if (field.type === "object") return object(field.properties ?? {}, path)
    const found = await answer(questionFor(input, field, path))
    const given = read(field, found)
    if (given === null) missing.push(path.join("."))
    else for (const { hit } of given.from) hits.add(hit)
    return given?.value ?? null
  }

  const content = await object(properties, [])
  return { content, missing, hits: [...hits] }
}

function questionFor(input: string, field: OutputField, path: readonly string[]): string {
  const about = field.description ?? field.items?.description ?? path.map(words).join(" ")
  return `${about} ${input}`
}

/** `foundingYear` and `founding_year` as words. */
const words = (name: string): string =>
  name.replaceAll(/[_-]+/g, " ").replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")

const NUMBER = /(?<![\p{L}\d.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\p{L}\d.])-?\d+(?:\.\d+)?(?![\p{L}\d])/gu

function read(
  field: OutputField,
  found: readonly Answering[],
): { readonly value: unknown; readonly from: readonly Answering[] } | null {
  if (found.length === 0) return null
  switch (field.type) {
    case "string":
      return { value: found[0]!.text, from: [found[0]!] }
    case "integer":
    case "number": {
      for (const one of found) {
        const numbers = (one.text.match(NUMBER) ?? []).map((text) => Number(text.replaceAll(",", "")))
        const fits = numbers.find((number) => field.type === "number" || Number.isSafeInteger(number))
        if (fits !== undefined) return { value: fits, from: [one] }
      }
      return null
    }
    case "array":
      return list(field.items!, found.slice(0, MAX_ITEMS))
    default:
      return null
  }
}

/** One entry for each statement that gives one. Of objects only what a single statement says of each value. */
function list(items: OutputField, found: readonly Answering[]) {
  const entries = found.flatMap((one) => {
    const entry = entryFrom(items, one)
    return entry === null ? [] : [{ entry, one }]
  })
  if (entries.length === 0) return null
  return { value: entries.map(({ entry }) => entry), from: entries.map(({ one }) => one) }
}

function entryFrom(items: OutputField, one: Answering): unknown {
  if (items.type !== "object") return read(items, [one])?.value ?? null
  const values = Object.entries(items.properties ?? {}).map(([name, field], place): [string, unknown] => {
    // The statement is what the first text says; others cannot be told from it without a model.
    const isText = field.type === "string" && place === 0
    return [
      name,
      isText || field.type === "integer" || field.type === "number"
        ? (read(field, [one])?.value ?? null)
        : null,
    ]
  })
  return values.some(([, value]) => value !== null) ? Object.fromEntries(values) : null
}

/** Whether a value has the form, each value of it of its type or null. Texts of what is wrong; empty when nothing is. */
export function violations(schema: OutputSchema, content: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true })
  const validate = ajv.compile(jsonSchema({ type: "object", ...schema }, false))
  return validate(content)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message}`)
}

/** As JSON schema; every value may also be null, which stands for "not found". */
function jsonSchema(field: OutputField, nullable = true): object {
  const type = nullable ? [field.type, "null"] : field.type
  switch (field.type) {
    case "object": {
      const properties = Object.entries(field.properties ?? {}).map(([name, one]) => [name, jsonSchema(one)])
      return {
        type,
        properties: Object.fromEntries(properties) as object,
        required: field.required ?? [],
        additionalProperties: false,
      }
    }
    case "array":
      return { type, items: jsonSchema(field.items!) }
    default:
      return { type }
  }
}
