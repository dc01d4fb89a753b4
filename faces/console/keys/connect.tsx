import { BASE } from "../../session/appliance.ts"
import { Snippet } from "./snippet.tsx"

/** Placeholder for a key that can't be read back. */
const SOME_KEY = "<key>"

/** The address programs use to reach this appliance. */
export function Connect({ apiKey = SOME_KEY }: { readonly apiKey?: string }) {
  const base = BASE.href.replace(/\/+$/, "")
  const mcp = {
    mcpServers: {
      fossick: { type: "http", url: `${base}/mcp`, headers: { Authorization: `Bearer ${apiKey}` } },
    },
  }
  const curl = `curl ${base}/search -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"query": "how do I begin"}'`
  return (
    <div class="connect">
      <Snippet name="Base address of the API" text={base} />
      <Snippet name="MCP configuration" text={JSON.stringify(mcp, null, 2)} />
      <Snippet name="A first search" text={curl} />
    </div>
  )
}
