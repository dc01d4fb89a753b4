import { features } from "../../features.ts"
import { describedBy } from "../../server/openapi/document.ts"
import type { Operation, Parameter } from "../../server/operation/operation.ts"
import type { JsonSchema } from "../../server/schema/schemas.ts"
import { oneLine, typeName, typeOf } from "./schema-types.ts"

const HEAD = `// Generated from the OpenAPI document by \`npm run generate:client\`; a test compares them. Edit the document, not this file.`

/** The text of calls.ts: the types of all calls in the document, and a list of those that return text. */
export async function clientSource(): Promise<string> {
  const { operations, schemas } = await describedBy(features)
  const types = Object.entries(schemas)
    // Skips `NotSet`, the values that leave a field out of a body; typeOf turns them into null.
    .filter(([name]) => name !== "NotSet")
    .map(
      ([name, schema]) =>
        `${comment(schema["description"])}export type ${typeName(name)} = ${typeOf(schema)}\n`,
    )
  const texts = operations.filter((one) => successes(one).some(({ type }) => !isJson(type)))
  return `${[
    HEAD,
    ...types,
    `/** The parameters of each call, and its answer when it succeeds. */\nexport interface Calls {\n${operations.map(callOf).join("\n")}\n}\n`,
    `/** The calls that answer with text; all others answer with JSON. */\nexport const TEXT_CALLS: ReadonlySet<string> = new Set([\n${texts.map((one) => `  ${JSON.stringify(nameOf(one))},\n`).join("")}])`,
  ].join("\n")}\n`
}

function callOf(operation: Operation): string {
  const { summary, parameters = [], body } = operation
  const path = parameters.filter((one) => one.in === "path")
  const query = parameters.filter((one) => one.in === "query")
  const given = [
    ...(path.length > 0 ? [`readonly path: ${parametersOf(path)}`] : []),
    ...(query.length > 0
      ? [`readonly query${query.some(({ required }) => required) ? "" : "?"}: ${parametersOf(query)}`]
      : []),
    ...(body ? [`readonly body${body.required ? "" : "?"}: ${typeOf(body.schema, 3)}`] : []),
  ]
  const answers = successes(operation).map(({ schema, type }) =>
    isJson(type) ? typeOf(schema, 2) : "string",
  )
  return `  /** ${oneLine(summary)}. */
  ${JSON.stringify(nameOf(operation))}: {
    readonly given: {${given.length === 0 ? "" : `\n      ${given.join("\n      ")}\n    `}}
    readonly answer: ${[...new Set(answers)].join(" | ")}
  }`
}

const parametersOf = (parameters: readonly Parameter[]): string =>
  `{ ${parameters
    .map(
      ({ name, required, schema }) =>
        `readonly ${name}${required ? "" : "?"}: ${flagOr(schema)}${required ? "" : " | undefined"}`,
    )
    .join("; ")} }`

/** A parameter in an address is text. If its only values are true and false, callers pass a boolean. */
const flagOr = (schema: JsonSchema): string =>
  JSON.stringify(schema["enum"]) === '["true","false"]' ? "boolean" : typeOf(schema)

const successes = ({ answers }: Operation) =>
  Object.entries(answers)
    .filter(([status]) => Number(status) < 400)
    .map(([, answer]) => answer)

const isJson = (type = "application/json"): boolean => type === "application/json"

const nameOf = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`

const comment = (text: unknown): string => (typeof text === "string" ? `/** ${oneLine(text)} */\n` : "")
