import { foreignOrNothing, INDEX_BOUNDS } from "#base/text/json/foreign-json.ts"
import { escapeText } from "../../extract/markdown/markdown-escapes.ts"
import { linksOfMarkdown } from "../../extract/extract.ts"
import { markdownTable } from "../../formats/office/table.ts"
import type { DocumentText } from "../../formats/to-extracted.ts"
import { codeBlock } from "../markup/code-block.ts"
import { type Data, dataOf, listOf, textOf } from "./data.ts"
import { exampleText, References, Schemas } from "./schemas.ts"

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]
const MAX_OPERATIONS = 5000
const MAX_CHARS = 5_000_000
/** The maximum number of aliases; a description written by people has fewer. */
const MAX_ALIASES = 100

/**
 * Turns the description of an HTTP API (OpenAPI 3 or Swagger 2, in JSON or YAML) into a section for each operation,
 * with its parameters, bodies and responses, and one for each schema. References inside the file are followed; nothing
 * is fetched. Null if the text does not describe an API.
 */
export async function readOpenapi(text: string, url: string): Promise<DocumentText | null> {
  if (!/^[ \t]*["']?(?:openapi|swagger)["']?\s*:|"(?:openapi|swagger)"\s*:/m.test(text)) return null
  const api = await parsed(text)
  if (!/^[23]\.\d/.test(textOf(api["openapi"] ?? api["swagger"]))) return null
  const references = new References(api)
  const schemas = new Schemas(references)
  const info = dataOf(api["info"])
  const description = textOf(info["description"]).trim()
  const parts = [description, ...aboutServers(api), ...aboutKeys(api, references)]
  let chars = 0
  let left = 0
  const add = (made: readonly string[]) => {
    for (const part of made) chars += part.length
    if (chars > MAX_CHARS) left += 1
    else parts.push(...made)
  }
  for (const operation of operationsOf(api, references)) add(operationText(operation, references, schemas))
  for (const [name, schema] of schemasOf(api)) {
    const made = schemas.describe(schema)
    if (made.length > 0) add([`## Schema ${escapeText(name)}`, ...made])
  }
  const markdown = parts.filter((part) => part !== "").join("\n\n")
  const title = textOf(info["title"]).trim()
  return {
    markdown,
    title: title || null,
    isTitledByHeading: false,
    prose: descriptionsIn(api),
    description: textOf(info["summary"]) || firstParagraph(description),
    author: textOf(dataOf(info["contact"])["name"]) || null,
    links: linksOfMarkdown(markdown, url),
    note: left > 0 ? `${left} of its operations and schemas were left out` : null,
  }
}

async function parsed(text: string): Promise<Data> {
  if (/^\s*[{[]/.test(text)) return dataOf(foreignOrNothing(text, INDEX_BOUNDS))
  // Loaded only when needed, because the library takes up 14 MB.
  const { parse } = await import("yaml")
  try {
    return dataOf(parse(text, { maxAliasCount: MAX_ALIASES, logLevel: "silent", uniqueKeys: false }))
  } catch {
    return {}
  }
}

/** The maximum length of the descriptions used to detect their language. */
const DESCRIPTION_CHARS = 4000

function descriptionsIn(api: Data): string {
  let text = ""
  const visit = (value: unknown, depth: number): void => {
    if (text.length > DESCRIPTION_CHARS || depth > 12 || typeof value !== "object" || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if ((key === "description" || key === "summary") && typeof inner === "string") text += `${inner}\n`
      else visit(inner, depth + 1)
    }
  }
  visit(api, 0)
  return text
}

/** The first paragraph, if it is plain text. */
function firstParagraph(markdown: string): string | null {
  const first = markdown.split(/\n\s*\n/, 1)[0]!.trim()
  return first === "" || /^[#|`<>-]/.test(first) || first.length > 1000 ? null : first
}

function aboutServers(api: Data): string[] {
  const base = `${textOf(api["host"])}${textOf(api["basePath"])}`
  const servers = listOf(api["servers"])
    .map(dataOf)
    .map(({ url, description }) => ({
      url: textOf(url),
      description: textOf(description).trim(),
    }))
  const scheme = textOf(listOf(api["schemes"])[0]) || "https"
  if (textOf(api["host"]) !== "") servers.push({ url: `${scheme}://${base}`, description: "" })
  const lines = servers
    .filter(({ url }) => url !== "")
    .map(({ url, description }) => `- ${url}${description === "" ? "" : `: ${oneLine(description)}`}`)
  return lines.length === 0 ? [] : ["## Servers", lines.join("\n")]
}

function aboutKeys(api: Data, references: References): string[] {
  const schemes = dataOf(dataOf(api["components"])["securitySchemes"] ?? api["securityDefinitions"])
  const rows = Object.entries(schemes).map(([name, value]) => {
    const scheme = references.followed(value)
    const place = [
      textOf(scheme["type"]),
      textOf(scheme["scheme"]),
      textOf(scheme["in"]),
      textOf(scheme["name"]),
    ]
    return [
      escapeText(name),
      escapeText(place.filter(Boolean).join(" ")),
      oneLine(textOf(scheme["description"])),
    ]
  })
  return rows.length === 0
    ? []
    : ["## Authentication", markdownTable([["Name", "Type", "Description"], ...rows])]
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly about: Data
  /** The parameters that apply to all operations of the path. */
  readonly shared: readonly unknown[]
}

function* operationsOf(api: Data, references: References): Generator<Operation> {
  let count = 0
  for (const paths of [api["paths"], api["webhooks"], api["x-webhooks"]]) {
    for (const [path, item] of Object.entries(dataOf(paths))) {
      for (const operation of operationsAt(path, references.followed(item))) {
        if (++count > MAX_OPERATIONS) return
        yield operation
      }
    }
  }
}

function operationsAt(path: string, item: Data): Operation[] {
  const more = Object.entries(dataOf(item["additionalOperations"])).map(
    ([method, about]) => [method, dataOf(about)] as const,
  )
  const known = METHODS.flatMap((method) => (method in item ? [[method, dataOf(item[method])] as const] : []))
  return [...known, ...more].map(([method, about]) => ({
    method: method.toUpperCase(),
    path,
    about,
    shared: listOf(item["parameters"]),
  }))
}

function operationText(operation: Operation, references: References, schemas: Schemas, level = 2): string[] {
  const { method, path, about, shared } = operation
  const name = `${method} ${path}`
  const summary = oneLine(textOf(about["summary"]))
  const parts = [`${"#".repeat(level)} ${escapeText(name)}${summary === "" ? "" : `: ${summary}`}`]
  if (about["deprecated"] === true) parts.push("Deprecated.")
  parts.push(textOf(about["description"]).trim())
  const facts = [
    ["Operation", textOf(about["operationId"])],
    ["Tags", listOf(about["tags"]).map(textOf).filter(Boolean).join(", ")],
  ].flatMap(([label, value]) => (value === "" ? [] : [`${label}: ${escapeText(value!)}`]))
  parts.push(facts.join(". "))
  const given = [...shared, ...listOf(about["parameters"])].map((one) => references.followed(one))
  const parameters = new Map(
    given.map((one) => [`${textOf(one["in"])} ${textOf(one["name"])}`, one] as const),
  )
  parts.push(
    ...parametersText(
      [...parameters.values()].filter((one) => one["in"] !== "body"),
      schemas,
    ),
  )
  for (const body of parameters.values())
    if (body["in"] === "body") parts.push(...bodyText("Request body", body, { "": body }, schemas))
  const body = references.followed(about["requestBody"])
  parts.push(...bodyText("Request body", body, dataOf(body["content"]), schemas))
  parts.push(...answersText(about, references, schemas))
  if (level === 2)
    for (const callbacks of Object.values(dataOf(about["callbacks"])))
      for (const [address, item] of Object.entries(references.followed(callbacks)))
        for (const callback of operationsAt(address, references.followed(item)))
          parts.push(
            ...operationText({ ...callback, method: `Callback ${callback.method}` }, references, schemas, 3),
          )
  return parts.filter((part) => part !== "")
}

function parametersText(parameters: readonly Data[], schemas: Schemas): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map((parameter) => {
    const schema =
      parameter["schema"] ?? dataOf(Object.values(dataOf(parameter["content"]))[0])["schema"] ?? parameter
    const need = parameter["required"] === true ? ", required" : ""
    return [
      escapeText(textOf(parameter["name"])),
      escapeText(`${textOf(parameter["in"])}${need}`),
      schemas.typeOf(schema),
      oneLine([textOf(parameter["description"]), schemas.factsOf(schema)].filter(Boolean).join(" ")),
    ]
  })
  return [markdownTable([["Parameter", "In", "Type", "Description"], ...rows])]
}

function bodyText(head: string, body: Data, content: Data, schemas: Schemas): string[] {
  const description = textOf(body["description"]).trim()
  const parts: string[] = []
  for (const [type, value] of Object.entries(content).slice(0, 5)) {
    const { schema, example, examples } = dataOf(value)
    const named = schema === undefined ? "" : schemas.typeOf(schema)
    const label = [type === "" ? "" : escapeText(type), named].filter(Boolean).join(": ")
    parts.push(
      `**${head}** ${label}${parts.length === 0 && description !== "" ? `. ${oneLine(description)}` : ""}`.trim(),
    )
    // A schema with a name has a section of its own.
    if (schema !== undefined && !schemas.isNamed(schema)) parts.push(...schemas.describe(schema))
    const shown = example ?? dataOf(Object.values(dataOf(examples))[0])["value"]
    const text = shown === undefined ? "" : exampleText(shown)
    if (text !== "") parts.push(codeBlock(text, /json/.test(type) || typeof shown !== "string" ? "json" : ""))
  }
  if (parts.length === 0 && description !== "") parts.push(`**${head}** ${oneLine(description)}`)
  return parts
}

function answersText(about: Data, references: References, schemas: Schemas): string[] {
  return Object.entries(dataOf(about["responses"])).flatMap(([status, value]) => {
    const answer = references.followed(value)
    const content = answer["schema"] === undefined ? dataOf(answer["content"]) : { "": answer }
    return bodyText(`Response ${status}`, answer, content, schemas)
  })
}

const schemasOf = (api: Data): [string, unknown][] =>
  Object.entries(dataOf(dataOf(api["components"])["schemas"] ?? api["definitions"])).slice(0, MAX_OPERATIONS)

/** The markdown of a description on one line, for a cell or a heading. */
const oneLine = (markdown: string): string => markdown.replace(/\s+/g, " ").trim()
