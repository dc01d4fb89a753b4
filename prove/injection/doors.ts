import { NOTE_ON_ORDERS } from "../../api/server/wire/note-on-orders.ts"
import { type ServedApp, TEST_KEY } from "../../api/testing/serve-app.ts"
import { leaksOf, type Planted } from "./planted.ts"

/** A call in another API's format, and its answer. */
interface Door {
  readonly name: string
  ask(app: ServedApp, query: string): Promise<unknown>
}

const key = { Authorization: `Bearer ${TEST_KEY}` }

const got = (name: string, path: (query: string) => string): Door => ({
  name,
  ask: async (app, query) => read(await fetch(app.url + path(encodeURIComponent(query)), { headers: key })),
})

const posted = (path: string, body: (query: string) => object): Door => ({
  name: `${path} ${JSON.stringify(body("…"))}`,
  ask: async (app, query) =>
    read(
      await fetch(app.url + path, {
        method: "POST",
        headers: {
          ...key,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(body(query)),
      }),
    ),
})

/** A call to a tool of the MCP server. */
const called = (name: string, given: (query: string) => object): Door =>
  posted("/mcp", (query) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: given(query) },
  }))

async function read(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 300)}`)
  // MCP's answers are events of a single line.
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  try {
    return JSON.parse(data) as unknown
  } catch {
    return text
  }
}

/** Answers to a question from other APIs, from tools and from suggestions. */
export const DOORS: readonly Door[] = [
  ...["json", "rss", "csv", "html"].map((format) =>
    got(`SearXNG's ${format}`, (query) => `/searxng/search?q=${query}&format=${format}`),
  ),
  got("suggestions", (query) => `/suggest?q=${query}`),
  posted("/v1/search", (query) => ({ query })),
  posted("/v2/search", (query) => ({ query })),
  posted("/v2/search", (query) => ({ query, scrapeOptions: { formats: ["markdown"] } })),
  posted("/v1/vector_stores/all/search", (query) => ({ query })),
  posted("/openwebui/search", (query) => ({ query })),
  called("tavily_search", (query) => ({ query, max_results: 3 })),
  called("search", (query) => ({ query })),
]

/** Whether an answer shows the order of a page anywhere without a label; the label is a field of the result or a note before its text. */
export function isUnlabelled(answer: unknown, one: Planted): boolean {
  if (typeof answer === "string") return leaksOf(answer, one) && !answer.includes(NOTE_ON_ORDERS)
  if (Array.isArray(answer)) return answer.some((part) => isUnlabelled(part, one))
  if (typeof answer !== "object" || answer === null) return false
  const fields = answer as { readonly [name: string]: unknown }
  const { attributes, metadata } = fields
  const isLabelled = [fields, attributes, metadata].some(
    (part) => (part as { addresses_models?: unknown } | undefined)?.addresses_models === true,
  )
  return !isLabelled && Object.values(fields).some((part) => isUnlabelled(part, one))
}
