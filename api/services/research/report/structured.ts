import { Ajv } from "ajv"

import type { Hit } from "#engine"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"

import { FILE_SCHEME } from "../sources/sources.ts"
import type { OutputField, OutputSchema } from "./output-schema.ts"

export interface Structured {
  readonly content: Readonly<Record<string, unknown>>
  /** The values for which nothing was found; they are null. */
  readonly missing: readonly MissingValue[]
  /** Pages that the values were taken from. */
  readonly hits: readonly Hit[]
}

/** A value of a structured report that is null. */
export interface MissingValue {
  /** Path, such as `company.founded`. */
  readonly path: string
  /** Why the value is null, worded for any reader. */
  readonly reason: string
}

/** A unit that answers a question, and the page that it is on. */
export interface Answering {
  readonly text: string
  readonly hit: Hit
}

/** Maximum number of entries in a list. */
const MAX_ITEMS = 10

/**
 * Fills a form from statements on pages. Each value becomes a question made of the input, the names above the value and
 * its description. A text value is the unit of a page that answers this question, word for word; a number value is the
 * number in such a unit. Values that no unit answers are null.
 * @param answer returns the units that answer a question, best first; empty if there are none
 */
export async function fillSchema(
  input: string,
  { properties }: OutputSchema,
  answer: (question: string) => Promise<readonly Answering[]>,
): Promise<Structured> {
  const missing: MissingValue[] = []
  // A page found for two values counts as one source.
  const hits = new Map<string, Hit>()

  async function object(fields: Readonly<Record<string, OutputField>>, path: readonly string[]) {
    const filled: [string, unknown][] = []
    for (const [name, field] of Object.entries(fields)) {
      filled.push([name, await value(field, [...path, name])])
    }
    return Object.fromEntries(filled)
  }

  async function value(field: OutputField, path: readonly string[]): Promise<unknown> {
    if (field.type === "object") return object(field.properties ?? {}, path)
    const about = aboutOf(field, path)
    const found = await answer(`${about} ${input}`)
    const given = read(field, found, about)
    if (given === null) missing.push({ path: path.join("."), reason: reasonFor(field, about, found) })
    else for (const { hit } of given.from) if (!hits.has(keyOf(hit))) hits.set(keyOf(hit), hit)
    return given?.value ?? null
  }

  const content = await object(properties, [])
  return { content, missing, hits: [...hits.values()] }
}

/** Files have no address. */
const keyOf = ({ url, source }: Hit): string => (source.startsWith(FILE_SCHEME) ? source : url)

/** A description of a value in words. */
const aboutOf = (field: OutputField, path: readonly string[]): string =>
  field.description ?? field.items?.description ?? path.map(words).join(" ")

function reasonFor({ type }: OutputField, about: string, found: readonly Answering[]): string {
  if (found.length === 0) return `No page found answers “${about}”.`
  return `Nothing found on “${about}” contains ${type === "integer" || type === "number" ? "such a number" : "such a value"}.`
}

/** `foundingYear` and `founding_year` as words. */
const words = (name: string): string =>
  name.replaceAll(/[_-]+/g, " ").replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")

const NUMBER = /(?<![\p{L}\d.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\p{L}\d.])-?\d+(?:\.\d+)?(?![\p{L}\d])/gu

/** A number in a text, with the words next to it. */
interface Placed {
  readonly value: number
  readonly beside: ReadonlySet<string>
  readonly isYear: boolean
}

const YEAR = /^(?:1[4-9]|20)\d\d$/
const ASKS_YEAR = /\b(?:year|date|founded|since|when|born|established|jahr|année|año)\b/i
/** Number of words on each side of a number that may say what the number counts. */
const WORDS_BESIDE = 3

function numbersIn(text: string): Placed[] {
  return [...text.matchAll(NUMBER)].map(({ 0: digits, index }) => {
    const before = text
      .slice(0, index)
      .split(/\s+/)
      .slice(-WORDS_BESIDE - 1)
    const behind = text
      .slice(index + digits.length)
      .split(/\s+/)
      .slice(0, WORDS_BESIDE + 1)
    return {
      value: Number(digits.replaceAll(",", "")),
      beside: new Set(analyse([...before, ...behind].join(" "), null)),
      isYear: YEAR.test(digits),
    }
  })
}

/**
 * Chooses the number for a value: of those with the right type, the one next to a word of the question, otherwise the
 * first. A year is chosen only if the value asks for one.
 */
function numberIn(text: string, type: "integer" | "number", about: string): number | null {
  const fitting = numbersIn(text).filter(({ value }) => type === "number" || Number.isSafeInteger(value))
  if (ASKS_YEAR.test(about)) return fitting.find(({ isYear }) => isYear)?.value ?? null
  const asked = new Set(analyseQuery(about, null).terms)
  const counting = fitting.filter(({ beside }) => beside.intersection(asked).size > 0)
  return (counting[0] ?? fitting.find(({ isYear }) => !isYear))?.value ?? null
}

function read(
  field: OutputField,
  found: readonly Answering[],
  about: string,
): { readonly value: unknown; readonly from: readonly Answering[] } | null {
  if (found.length === 0) return null
  switch (field.type) {
    case "string":
      return { value: found[0]!.text, from: [found[0]!] }
    case "integer":
    case "number": {
      for (const one of found) {
        const value = numberIn(one.text, field.type, about)
        if (value !== null) return { value, from: [one] }
      }
      return null
    }
    case "array":
      return list(field.items!, found.slice(0, MAX_ITEMS), about)
    default:
      return null
  }
}

/** One entry for each unit that has a value. The values of an object all come from a single unit. */
function list(items: OutputField, found: readonly Answering[], about: string) {
  const entries = found.flatMap((one) => {
    const entry = entryFrom(items, one, about)
    return entry === null ? [] : [{ entry, one }]
  })
  if (entries.length === 0) return null
  return { value: entries.map(({ entry }) => entry), from: entries.map(({ one }) => one) }
}

function entryFrom(items: OutputField, one: Answering, about: string): unknown {
  if (items.type !== "object") return read(items, [one], items.description ?? about)?.value ?? null
  const values = Object.entries(items.properties ?? {}).map(([name, field], place): [string, unknown] => {
    // The unit is the value of the first text field; without a model, the other text fields cannot be extracted from
    // it.
    const isText = field.type === "string" && place === 0
    return [
      name,
      isText || field.type === "integer" || field.type === "number"
        ? (read(field, [one], field.description ?? words(name))?.value ?? null)
        : null,
    ]
  })
  return values.some(([, value]) => value !== null) ? Object.fromEntries(values) : null
}

/**
 * Checks whether a value matches the form, in which each field must be of the right type or null. Returns the errors as
 * strings; empty if there are none.
 */
export function violations(schema: OutputSchema, content: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true })
  const validate = ajv.compile(jsonSchema({ type: "object", ...schema }, false))
  return validate(content)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message}`)
}

/** The form as a JSON schema; every value may also be null, which means "not found". */
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
