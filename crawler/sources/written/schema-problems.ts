import { readFileSync } from "node:fs"
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv"
import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import { didYouMean, nearNames } from "#base/text/near-names.ts"
import { fieldText, type SourceProblem } from "./source-problem.ts"

/** The JSON Schema (draft 7) of a sources file, for people who write one. */
export const SOURCES_SCHEMA_FILE = new URL("../sources.schema.json", import.meta.url)

/** The part being checked: a whole file, or a part of it. */
export type SchemaPart = "file" | "source" | "defaults"

interface Validators extends Record<SchemaPart, ValidateFunction> {
  /** The groups that contain a field with this name; empty if only the source itself does. */
  readonly holders: ReadonlyMap<string, readonly string[]>
}

let validators: Validators | null = null

/** Checks `value` against the schema of a sources file or part of one, and returns one problem per fault. */
export function schemaProblems(part: SchemaPart, value: unknown): SourceProblem[] {
  validators ??= compiled()
  const validate = validators[part]
  if (validate(value)) return []
  const errors = validate.errors ?? []
  const renamed = renamedFields(errors)
  const problems = new Map<string, SourceProblem>()
  for (const error of errors) {
    if (renamed.has(error) || isOfOtherKind(error, errors)) continue
    const problem = schemaProblem(error, part, value, validators.holders)
    const field = fieldText(problem.path)
    if (!problems.has(field)) problems.set(field, problem)
  }
  return [...problems.values()]
}

/** Whether an error says that a fixed word was expected, although a group of fields, which is also allowed, was written. */
const isOfOtherKind = (error: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  typeof error.data === "object" &&
  error.data !== null &&
  ["type", "enum", "oneOf"].includes(error.keyword) &&
  errors.some((other) => other.keyword === "oneOf" && other.instancePath === error.instancePath) &&
  errors.some(
    (other) =>
      other.instancePath.startsWith(error.instancePath) &&
      other.keyword !== "oneOf" &&
      !["type", "enum"].includes(other.keyword),
  )

/** Errors about required fields that are missing because their names were misspelt: the errors about the unknown names are enough. */
function renamedFields(errors: readonly ErrorObject[]): ReadonlySet<ErrorObject> {
  return new Set(
    errors.filter(
      ({ keyword, instancePath, params }) =>
        keyword === "required" &&
        errors.some(
          (other) =>
            other.keyword === "additionalProperties" &&
            other.instancePath === instancePath &&
            nearNames(String(other.params["additionalProperty"]), [String(params["missingProperty"])])
              .length > 0,
        ),
    ),
  )
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: SchemaNode
  readonly oneOf?: readonly SchemaNode[]
}

function compiled(): Validators {
  const ajv = new Ajv({
    ...OWN_SCHEMA,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: true,
    verbose: true,
    discriminator: true,
  })
  const schema = JSON.parse(readFileSync(SOURCES_SCHEMA_FILE, "utf8")) as {
    $id: string
    $defs: { fields: Readonly<Record<string, SchemaNode>> }
  }
  const holders = new Map<string, string[]>(Object.keys(schema.$defs.fields).map((field) => [field, []]))
  for (const [group, node] of Object.entries(schema.$defs.fields)) {
    // Observers have fields with the same names as the source's own.
    if (group === "observers") continue
    const inner = [node, node.items ?? {}, ...(node.oneOf ?? [])]
    for (const field of new Set(inner.flatMap(({ properties = {} }) => Object.keys(properties)))) {
      holders.set(field, [...(holders.get(field) ?? []), group])
    }
  }
  return {
    file: ajv.compile(schema),
    source: ajv.compile({ $ref: `${schema.$id}#/$defs/source` }),
    defaults: ajv.compile({ $ref: `${schema.$id}#/$defs/defaults` }),
    holders,
  }
}

function schemaProblem(
  error: ErrorObject,
  part: SchemaPart,
  value: unknown,
  holders: Validators["holders"],
): SourceProblem {
  const params = error.params as Record<string, unknown>
  const path = pathOf(error.instancePath, value)
  switch (error.keyword) {
    case "additionalProperties": {
      const name = String(params["additionalProperty"])
      const known = Object.keys(error.parentSchema?.["properties"] ?? {})
      return {
        path: [...path, name],
        message: `isn't a field of ${ownerOf(part, path, error.data)}${remedy(name, known, holders)}`,
      }
    }
    case "required":
      return { path: [...path, String(params["missingProperty"])], message: "is missing" }
    case "enum":
      return {
        path,
        message: `must be one of ${(params["allowedValues"] as unknown[]).map(String).join(", ")}`,
      }
    case "discriminator":
      return { path: [...path, "kind"], message: "must be one of basic, headers, cookies, form" }
    case "type":
      return { path, message: typeMeaning(error, path, holders) }
    case "pattern":
      return { path, message: patternMeaning(path) }
    case "minLength":
    case "minItems":
    case "minProperties":
      return { path, message: "must not be empty" }
    default:
      return { path, message: error.message ?? "is wrong" }
  }
}

/** The thing that the fields at `path` belong to: `a source`, `limits`, `a form login`. */
function ownerOf(part: SchemaPart, path: SourceProblem["path"], data: unknown): string {
  const inFile = part === "file"
  const [first] = path
  const rest = inFile ? path.slice(first === "sources" ? 2 : 1) : path
  const group = rest.findLast((step) => typeof step === "string")
  if (group === "login") return `a ${String((data as Written | null)?.["kind"])} login`
  if (group === "webhooks") return "a webhook"
  if (group === "observers") return "an observer"
  if (group !== undefined) return group
  if (!inFile) return part === "defaults" ? "the defaults" : "a source"
  if (path.length === 0) return "the file"
  return first === "sources" ? "a source" : first === "backup" ? "the backup" : "the defaults"
}

/** What to do about an unknown field name: suggests the nearest field, the group that has it, or lists all fields. */
function remedy(name: string, known: readonly string[], holders: Validators["holders"]): string {
  const near = didYouMean(name, known)
  if (near !== "") return near
  const groups = holders.get(name)?.filter((group) => known.includes(group)) ?? []
  if (groups.length > 0) return `; it belongs in ${groups.join(" or ")}, as in ${groups[0]}: { ${name}: … }`
  return `; the fields are ${known.join(", ")}`
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  array: "a list",
  object: "a group of fields",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
}

function typeMeaning(
  { params, data }: ErrorObject,
  path: SourceProblem["path"],
  holders: Validators["holders"],
): string {
  const types = [(params as { type: string | string[] }).type].flat()
  const wanted = `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(" or ")}`
  const field = path.at(-1)
  if (data === null) return `is empty, and ${wanted}`
  if (
    types.includes("string") &&
    !types.includes("object") &&
    (typeof data === "number" || typeof data === "boolean")
  )
    return `${wanted}; put it in quotes: "${data}"`
  if (typeof data === "string" && types.some((type) => type === "integer" || type === "number"))
    return Number.isFinite(Number(data)) ? `${wanted}, without quotes` : wanted
  if (types.includes("object") && typeof data === "string" && holders.has(data.split(":", 1)[0]!))
    return `${wanted}; put a space after the colon, as in "name: docs"`
  if (types.includes("object") && Array.isArray(data) && path.length === 0)
    return `${wanted}; put the list under "sources:"`
  if (types.includes("array") && field === "sources" && typeof data === "object")
    return `${wanted}; begin each entry with "- "`
  const others = typeof field === "string" ? (holders.get(field) ?? []) : []
  if (types.includes("object") && typeof data !== "object" && others.length > 0)
    return `${wanted}; ${others[0]} has a field of that name, as in ${others[0]}: { ${field}: … }`
  return wanted
}

function patternMeaning(path: SourceProblem["path"]): string {
  const field = path.at(-1)
  if (["password", "secret", "cert", "key", "passphrase"].includes(String(field))) {
    return "must name a secret, not contain it: ${NAME} for an environment variable, or file:/path"
  }
  if (field === "name" && path[0] === "backup")
    return "can contain letters, digits and ._- and must begin and end with a letter or digit"
  if (field === "name")
    return "can contain letters, digits, spaces and ._:@- and must begin and end with a letter or digit"
  return "must be two lower-case letters"
}

type Written = Readonly<Record<string, unknown>>

function pathOf(pointer: string, value: unknown): (string | number)[] {
  let at = value
  return pointer
    .split("/")
    .slice(1)
    .map((step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
      const isIndex = Array.isArray(at)
      at = (at as Written | null)?.[key]
      return isIndex ? Number(key) : key
    })
}
