/** A call with the user's values. */
export interface FilledCall {
  readonly method: string
  /** The path as written in the OpenAPI document: `/admin/jobs/{id}`. */
  readonly path: string
  readonly inPath: Readonly<Record<string, string>>
  readonly inQuery: Readonly<Record<string, string>>
  /** The body as JSON, or undefined. */
  readonly body: unknown
}

export interface Snippet {
  readonly name: string
  readonly text: string
}

/** The path of a call, below the appliance's address. */
export function pathOf({ path, inPath, inQuery }: FilledCall): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath[name] ?? ""))
  const query = new URLSearchParams(Object.entries(inQuery).filter(([, value]) => value !== "")).toString()
  return query === "" ? filled : `${filled}?${query}`
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function curl(base: string, call: FilledCall): string {
  const { method, body } = call
  const lines = [
    `curl -sS${method === "GET" ? "" : ` -X ${method}`} ${inShell(base + pathOf(call))}`,
    `  -H "Authorization: Bearer $FOSSICK_API_KEY"`,
    ...(body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${inShell(JSON.stringify(body))}`]),
  ]
  return lines.join(" \\\n")
}

/** Calls that have the same names in tavily-python. */
const OF_TAVILY = ["/search", "/extract", "/crawl", "/map"]

function python(base: string, { path, body }: FilledCall): string {
  const given = Object.entries(body ?? {}).map(([name, value]) => `    ${name}=${inPython(value)},`)
  return `import os

from tavily import TavilyClient

client = TavilyClient(os.environ["FOSSICK_API_KEY"], api_base_url=${JSON.stringify(base)})
answer = client.${path.slice(1)}(
${given.join("\n")}
)
print(answer)`
}

/** A JSON value in Python syntax. */
function inPython(value: unknown): string {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value)) return `[${value.map(inPython).join(", ")}]`
  if (typeof value !== "object") return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${inPython(one)}`)
  return `{${entries.join(", ")}}`
}

function typescript(base: string, { method, path, inPath, inQuery, body }: FilledCall): string {
  const query = Object.fromEntries(Object.entries(inQuery).filter(([, value]) => value !== ""))
  const parts = {
    ...(Object.keys(inPath).length > 0 && { path: inPath }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
  }
  const given = Object.keys(parts).length === 0 ? "" : `, ${JSON.stringify(parts, null, 2)}`
  return `import { FossickClient } from "fossick/client"

const fossick = new FossickClient({ url: ${JSON.stringify(base)}, key: process.env.FOSSICK_API_KEY })
const answer = await fossick.call(${JSON.stringify(`${method} ${path}`)}${given})
console.log(JSON.stringify(answer, null, 2))`
}

const mcp = (base: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        fossick: {
          type: "http",
          url: `${base}/mcp`,
          headers: { Authorization: "Bearer ${FOSSICK_API_KEY}" },
        },
      },
    },
    null,
    2,
  )

/** The call in other languages. `base`: address of the appliance, without a slash at its end. */
export function snippetsOf(base: string, call: FilledCall): readonly Snippet[] {
  const isTavily = call.method === "POST" && OF_TAVILY.includes(call.path)
  return [
    { name: "curl", text: curl(base, call) },
    ...(isTavily ? [{ name: "Python", text: python(base, call) }] : []),
    { name: "TypeScript", text: typescript(base, call) },
    { name: "MCP", text: mcp(base) },
  ]
}
