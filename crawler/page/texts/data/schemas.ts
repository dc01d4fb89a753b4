import { percentDecoded } from "#base/text/percent-decoded.ts"
import { escapeText } from "../../extract/markdown/markdown-escapes.ts"
import { markdownTable } from "../../formats/office/table.ts"
import { type Data, dataOf, listOf, textOf } from "./data.ts"

const MAX_STEPS = 10
/** The maximum depth of nested objects whose fields are listed. */
const MAX_DEPTH = 4
const MAX_FIELDS = 300
const MAX_EXAMPLE_CHARS = 2000
const MAX_VALUES = 50

/** The value that `$ref` points to inside the document. Other files and addresses are not read. */
export class References {
  readonly #document: Data

  constructor(document: Data) {
    this.#document = document
  }

  /** A value, or the value that it refers to; a description next to the reference takes precedence. */
  followed(value: unknown): Data {
    let data = dataOf(value)
    for (let steps = 0; steps < MAX_STEPS && typeof data["$ref"] === "string"; steps++) {
      const { description } = data
      const target = this.#at(data["$ref"])
      if (target === null) return data
      data = description === undefined ? target : { ...target, description }
    }
    return data
  }

  #at(reference: string): Data | null {
    if (!reference.startsWith("#/")) return null
    let at: unknown = this.#document
    for (const part of reference.slice(2).split("/")) {
      const key = (percentDecoded(part) ?? part).replaceAll("~1", "/").replaceAll("~0", "~")
      const holder: unknown = at
      at = Array.isArray(holder)
        ? holder[Number(key)]
        : Object.hasOwn(dataOf(holder), key)
          ? dataOf(holder)[key]
          : undefined
    }
    return typeof at === "object" && at !== null ? dataOf(at) : null
  }
}

/** Describes JSON schemas in words: types on one line, and their fields as a table. */
export class Schemas {
  readonly #references: References

  constructor(references: References) {
    this.#references = references
  }

  /** Whether the schema, or the schema of its list items, has a name in the document. */
  isNamed(schema: unknown): boolean {
    const data = dataOf(schema)
    return typeof data["$ref"] === "string" || typeof dataOf(data["items"])["$ref"] === "string"
  }

  /** The type of a schema as markdown on one line: `string (date-time)`, `list of Pet`, `Cat or Dog`. */
  typeOf(schema: unknown, depth = 0): string {
    const data = dataOf(schema)
    if (typeof data["$ref"] === "string") return escapeText(data["$ref"].split("/").at(-1)!)
    if (depth > MAX_DEPTH) return ""
    for (const [key, word] of [
      ["oneOf", " or "],
      ["anyOf", " or "],
      ["allOf", " and "],
    ] as const) {
      const parts = listOf(data[key])
        .slice(0, MAX_VALUES)
        .map((one) => this.typeOf(one, depth + 1))
      const named = [...new Set(parts.filter((part) => part !== ""))]
      if (named.length > 0) return named.join(word)
    }
    const types = (Array.isArray(data["type"]) ? data["type"] : [data["type"]]).map(textOf).filter(Boolean)
    if (types.includes("array") || data["items"] !== undefined) {
      const item = this.typeOf(data["items"], depth + 1)
      return item === "" ? "list" : `list of ${item}`
    }
    const format = textOf(data["format"])
    const type = types.join(" or ") || (data["properties"] === undefined ? "" : "object")
    return escapeText(format === "" ? type : `${type} (${format})`)
  }

  /** The allowed values of a schema, its bounds and its default: markdown on one line. */
  factsOf(schema: unknown): string {
    const data = this.#references.followed(schema)
    const values = listOf(data["enum"] ?? dataOf(data["items"])["enum"])
      .slice(0, MAX_VALUES)
      .map(textOf)
    const facts = [
      values.length === 0 ? "" : `One of: ${values.join(", ")}.`,
      ...(
        [
          ["default", "Default"],
          ["minimum", "At least"],
          ["maximum", "At most"],
          ["maxLength", "Characters at most"],
          ["pattern", "Pattern"],
        ] as const
      ).map(([key, label]) => (textOf(data[key]) === "" ? "" : `${label}: ${textOf(data[key])}.`)),
    ]
    return escapeText(facts.filter(Boolean).join(" "))
  }

  /** A schema's description, its fields as a table, and its allowed values. */
  describe(schema: unknown): string[] {
    const data = this.#references.followed(schema)
    const rows: string[][] = []
    this.#addFields(data, "", rows, 0, new Set())
    const fields = rows.length === 0 ? [] : [markdownTable([["Field", "Type", "Description"], ...rows])]
    const values = rows.length === 0 ? this.factsOf(schema) : ""
    return [textOf(data["description"]).trim(), ...fields, values].filter((part) => part !== "")
  }

  #addFields(data: Data, path: string, rows: string[][], depth: number, above: ReadonlySet<Data>): void {
    if (depth > MAX_DEPTH || above.has(data)) return
    const within = new Set([...above, data])
    for (const key of ["allOf", "oneOf", "anyOf"])
      for (const part of listOf(data[key]).slice(0, MAX_VALUES))
        this.#addFields(this.#references.followed(part), path, rows, depth + 1, within)
    const required = listOf(data["required"])
    for (const [name, value] of Object.entries(dataOf(data["properties"]))) {
      if (rows.length >= MAX_FIELDS) return
      const field = dataOf(value)
      const need = required.includes(name) ? ", required" : ""
      const about = [textOf(this.#references.followed(field)["description"]), this.factsOf(field)]
      const type = [this.typeOf(field), need].join("").replace(/^, /, "")
      rows.push([escapeText(path + name), type, about.filter(Boolean).join(" ").replace(/\s+/g, " ").trim()])
      // A schema with a name has a section of its own.
      if (!this.isNamed(field)) {
        this.#addFields(field, `${path}${name}.`, rows, depth + 1, within)
        this.#addFields(dataOf(field["items"]), `${path}${name}[].`, rows, depth + 1, within)
      }
    }
    if (path === "" && data["items"] !== undefined && !this.isNamed(data))
      this.#addFields(dataOf(data["items"]), "[].", rows, depth + 1, within)
  }
}

/** An example in readable form; only the beginning of a long one. */
export function exampleText(example: unknown): string {
  if (typeof example === "string") return example.slice(0, MAX_EXAMPLE_CHARS)
  const text = JSON.stringify(example, null, 2) ?? ""
  return text.length > MAX_EXAMPLE_CHARS ? `${text.slice(0, MAX_EXAMPLE_CHARS)}\n…` : text
}
