import { randomUUID } from "node:crypto"

import { interruptSignal } from "#base/process/interrupt.ts"
import { apiOver, type AskApi, askOverHttp } from "../../../doors/mcp/ask-api.ts"
import { applianceAddress, unreachable } from "./appliance-address.ts"

/** How long to wait for the appliance to describe its index. The description is left out after that, because the program that started this one is waiting. */
const INSTRUCTIONS_MS = 3000

/**
 * `fossick mcp`: the Model Context Protocol over standard input and output, for programs that start their servers
 * themselves. It queries a running appliance, on this machine or another one.
 * @param address of the appliance; by default the one from the settings
 * @throws SettingsError
 */
export async function speakMcp(address: string | undefined): Promise<never> {
  const { url: base, key } = applianceAddress(address)
  const [{ mcpServer }, { instructionsFor }, { toolsOf }, { features }, { StdioServerTransport }] =
    await Promise.all([
      import("../../../doors/mcp/mcp-server.ts"),
      import("../../../doors/mcp/instructions.ts"),
      import("../../../server/tools/tools.ts"),
      import("../../../features.ts"),
      import("@modelcontextprotocol/sdk/server/stdio.js"),
    ])
  const ask = askOverHttp(base, {
    Authorization: `Bearer ${key}`,
    "X-Client-Source": "MCP",
    "X-Session-Id": randomUUID(),
  })
  const asked = explained(ask, base)
  const instructions = await instructionsFor(apiOver(asked, AbortSignal.timeout(INSTRUCTIONS_MS)), null)
  const server = mcpServer(asked, await toolsOf(features), { instructions })
  const closed = new Promise<void>((resolve) => {
    Object.assign(server, { onclose: resolve })
  })
  await server.connect(new StdioServerTransport())
  process.stdin.once("end", () => void server.close())
  interruptSignal().addEventListener("abort", () => void server.close())
  await closed
  // No one is waiting for calls that are still running.
  process.exit(0)
}

/** Tells you what to do when the appliance does not answer. */
function explained(ask: AskApi, base: string): AskApi {
  return async (path, body, signal) => {
    try {
      return await ask(path, body, signal)
    } catch (error) {
      if (signal.aborted) throw error
      return { status: 503, body: { detail: { error: unreachable(base) } } }
    }
  }
}
