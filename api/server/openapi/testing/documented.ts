import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

import { mayBePrefix } from "../../middleware/tolerant-path.ts"
import { features } from "../../../features.ts"
import { describedBy, openApiDocument } from "../document.ts"
import type { Operation } from "../../operation/operation.ts"
import type { JsonSchema } from "../../schema/schemas.ts"

/** A real answer, to be compared with the document. */
interface RealAnswer {
  readonly status: number
  readonly body: unknown
}

const described = await describedBy(features)
/** Every call of the appliance. */
export const { operations } = described
const document = openApiDocument(described, "http://localhost:8080", "0")
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
    date: true,
    regex: true,
    uri: true,
  },
})
ajv.addSchema(closed({ $id: "document", components: document.components }) as JsonSchema)
const compiled = new Map<string, ValidateFunction>()

/**
 * Deviations of a response from the document: a status that isn't listed for the call, and fields that are missing,
 * wrong or not listed. Empty for a response that matches the document, and for a path or method that is not in the
 * document.
 */
export function undocumented(method: string, path: string, { status, body }: RealAnswer): string[] {
  const operation = operationAt(method, path)
  if (operation === null) return status >= 404 ? [] : [`${method} ${path} is not documented`]
  const described = responseOf(operation, status)
  if (described === null) return [`${operation.id} does not list status ${status}`]
  const key = `${operation.id} ${status}`
  let validate = compiled.get(key)
  if (validate === undefined) {
    validate = ajv.compile(closed(described) as JsonSchema)
    compiled.set(key, validate)
  }
  return validate(body)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${key}: ${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
      )
}

/** The documented operation for a call. Doubled or trailing slashes and prefixes are ignored. */
export function operationAt(method: string, path: string): Operation | null {
  const asked = path
    .split("?")[0]!
    .replaceAll(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "")
  const fits = operations.filter((one) => one.method === method.toLowerCase())
  return (
    fits.find((one) => one.path === asked) ??
    fits.find((one) => new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(asked)) ??
    fits.find((one) => !asked.startsWith("/admin") && asked.endsWith(one.path) && hasPrefix(asked, one)) ??
    null
  )
}

const hasPrefix = (asked: string, { path }: Operation): boolean =>
  asked.slice(0, -path.length).split("/").every(mayBePrefix)

function responseOf({ path, method }: Operation, status: number): JsonSchema | null {
  interface Response {
    readonly $ref?: string
    readonly content?: Record<string, { schema: JsonSchema }>
  }
  const { responses } = document.paths[path]![method] as { responses: Record<string, Response> }
  const found = responses[status]
  const response =
    found?.$ref === undefined
      ? found
      : (document.components.responses[found.$ref.split("/").at(-1)!] as Response)
  const { content = {} } = response ?? {}
  return (content["application/json"] ?? content["application/yaml"])?.schema ?? null
}

/** The schema with references made absolute and no fields beyond those it lists. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== "object" || node === null) return node
  const own = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  if (typeof own["$ref"] === "string") own["$ref"] = own["$ref"].replace(/^#/, "document#")
  if (own["type"] === "object" && own["properties"] !== undefined && !("additionalProperties" in own)) {
    own["additionalProperties"] = false
  }
  return own
}
