import { setTimeout as pause } from "node:timers/promises"

import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"

import { fossickVersion } from "#base/fossick-version.ts"

import type { ApiAnswer, AskApi } from "./ask-api.ts"
import { refusalText } from "./answer-text.ts"
import { tools } from "./tools.ts"

// Loaded with the first use: what the protocol needs is several megabytes.

/** How often a caller who asked for it hears that a call goes on. Their clocks often run for a minute only. */
const PROGRESS_MS = 5000

/** First pause before a task is asked for again; each further one is half as long again, up to the most. */
const FIRST_POLL_MS = 500
const MAX_POLL_MS = 5000

const INSTRUCTIONS =
  "A search engine over pages that its operator chose. Search first; read a page whole with tavily_extract only when its passages are not enough."

/** One for all servers: each would make its own, though none of ours asks callers for anything to be checked. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()
const version = fossickVersion()

/**
 * A server of the Model Context Protocol with the tools, not yet connected.
 *
 * @param ask carries out the calls, as the caller
 * @param signal ends running calls, beside what the protocol has for it
 * @param serves whether there is such an endpoint: its tool is left out when not
 * @param notice what models are told first of the appliance
 */
export function mcpServer(
  ask: AskApi,
  {
    signal,
    serves = () => true,
    notice = null,
  }: { signal?: AbortSignal; serves?: (endpoint: string) => boolean; notice?: string | null } = {},
): Server {
  const served = tools.filter(({ endpoint }) => serves(endpoint))
  const server = new Server(
    { name: "fossick", title: "Fossick", version },
    {
      capabilities: { tools: {} },
      instructions: notice === null ? INSTRUCTIONS : `${INSTRUCTIONS} ${notice}`,
      jsonSchemaValidator,
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: served.map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations: { readOnlyHint: true, openWorldHint: true },
    })),
  }))
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, { signal: cancelled, sendNotification }): Promise<CallToolResult> => {
      const tool = served.find(({ name }) => name === params.name)
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      const token = params["_meta"]?.progressToken
      let progress = 0
      const timer =
        token === undefined
          ? undefined
          : setInterval(() => {
              progress += 1
              const message = `${progress * (PROGRESS_MS / 1000)} s`
              sendNotification({
                method: "notifications/progress",
                params: { progressToken: token, progress, message },
              }).catch(() => {})
            }, PROGRESS_MS)
      try {
        const ends = signal === undefined ? cancelled : AbortSignal.any([cancelled, signal])
        const first = await ask(tool.endpoint, tool.toBody(params.arguments ?? {}), ends)
        const { status, body } =
          tool.taskOf && first.status === 200 ? await ended(ask, tool.taskOf(first.body), ends) : first
        if (status !== 200) return { isError: true, ...text(refusalText(status, body)) }
        return text(tool.toText(body))
      } finally {
        clearInterval(timer)
      }
    },
  )
  return server
}

/** What a task ends with. */
async function ended(ask: AskApi, task: string, signal: AbortSignal): Promise<ApiAnswer> {
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 1.5, MAX_POLL_MS)) {
    await pause(wait, undefined, { signal })
    const answer = await ask(task, null, signal)
    if (answer.status !== 202) return answer
  }
}

const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] })
