import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

export const CALLBACK = "http://127.0.0.1:1/callback"

/** The program's state, and the address to which it sends its user. */
export class Program implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: "Test <program>", redirect_uris: [CALLBACK], scope: "search" }
  information: OAuthClientInformationMixed | undefined
  kept: OAuthTokens | undefined
  sentTo: URL | undefined
  #verifier = ""
  state = () => "the state"
  clientInformation = () => this.information
  saveClientInformation(information: OAuthClientInformationMixed) {
    this.information = information
  }
  tokens = () => this.kept
  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens
  }
  redirectToAuthorization(to: URL) {
    this.sentTo = to
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

/** Searches as the program, over MCP. */
export async function searchWith(program: Program, url: string): Promise<string> {
  const client = new Client({ name: "test", version: "1" })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: program })
  await client.connect(transport)
  try {
    return JSON.stringify(
      await client.callTool({ name: "tavily_search", arguments: { query: "pruned in winter" } }),
    )
  } finally {
    await client.close()
  }
}
