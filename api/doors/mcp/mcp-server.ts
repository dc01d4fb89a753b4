import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"

import { fossickVersion } from "#base/fossick-version.ts"

import type { Tool } from "../../server/operation/tool.ts"
import { Refused } from "../../server/tools/answers.ts"
import { apiOver, type AskApi } from "./ask-api.ts"
import { plainInstructions } from "./instructions.ts"
import { prompts } from "./prompts.ts"
import { listResources, pageTemplate, readResource } from "./resources.ts"

// This file is loaded on first use, because the code for the protocol takes up several megabytes.

/** Time between progress messages for a caller that asked for them. Many clients time out after a minute. */
const PROGRESS_MS = 5000

/** The protocol's code for a resource that doesn't exist. */
const RESOURCE_NOT_FOUND = -32_002

/** Shared by all servers. Otherwise each would create its own, although none of ours asks callers for anything that needs checking. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()
const version = fossickVersion()

/**
 * A Model Context Protocol server with tools, resources and prompts, not yet connected.
 *
 * @param ask carries out the calls, as the caller
 * @param signal ends running calls, as a cancellation by the protocol does
 * @param serves whether an endpoint exists; if not, its tools are left out
 * @param instructions the instructions for models
 */
export function mcpServer(
  ask: AskApi,
  tools: readonly Tool[],
  {
    signal,
    serves = () => true,
    instructions = plainInstructions(null),
  }: {
    signal?: AbortSignal | undefined
    serves?: (endpoint: string) => boolean
    instructions?: string
  } = {},
): Server {
  const served = tools.filter(({ endpoint }) => serves(endpoint))
  const apiFor = (cancelled: AbortSignal) =>
    apiOver(ask, signal === undefined ? cancelled : AbortSignal.any([cancelled, signal]))
  const server = new Server(
    { name: "fossick", title: "Fossick", version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions, jsonSchemaValidator },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: served.map(({ name, title, description, inputSchema, outputSchema, isLive }) => ({
      name,
      title,
      description,
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: isLive },
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
        const { text, structured, failed } = await tool.run(apiFor(cancelled), params.arguments ?? {})
        return {
          content: [{ type: "text", text }],
          ...(structured && { structuredContent: { ...structured } }),
          ...(failed && { isError: true }),
        }
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        return { isError: true, content: [{ type: "text", text: error.message }] }
      } finally {
        clearInterval(timer)
      }
    },
  )
  server.setRequestHandler(ListResourcesRequestSchema, async (_, { signal: cancelled }) => ({
    resources: await asProtocol(listResources(apiFor(cancelled))),
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: serves("/pages") ? [pageTemplate] : [],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal: cancelled }) => {
    const found = await asProtocol(readResource(params.uri, apiFor(cancelled)))
    if (found === null) throw new McpError(RESOURCE_NOT_FOUND, `Unknown resource: ${params.uri}`)
    return { contents: [found] }
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ name, title, description, arguments: taken }) => ({
      name,
      title,
      description,
      arguments: [...taken],
    })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    const given = params.arguments ?? {}
    const missing = prompt.arguments.find(({ name }) => (given[name] ?? "").trim() === "")
    if (missing) throw new McpError(ErrorCode.InvalidParams, `The argument ${missing.name} is missing.`)
    return {
      description: prompt.description,
      messages: [{ role: "user" as const, content: { type: "text" as const, text: prompt.text(given) } }],
    }
  })
  return server
}

/** Outside tool calls, a refusal by the API is a protocol error. */
async function asProtocol<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new McpError(error.status === 404 ? RESOURCE_NOT_FOUND : ErrorCode.InvalidRequest, error.message)
  }
}
