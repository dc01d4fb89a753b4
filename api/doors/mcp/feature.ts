import type { Server } from "node:http"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Feature } from "../../feature.ts"
import type { Tool } from "../../server/operation/tool.ts"
import type { OAuth } from "../../identity/oauth/oauth-endpoints.ts"

interface Needs {
  readonly accounts: Pick<Accounts, "keys">
  /** If left out, programs need a key. */
  readonly oauth?: Pick<OAuth, "verify" | "challenge">
  readonly config: {
    readonly bodyLimit: number
    readonly corsOrigins: readonly string[]
    readonly publicUrl: string
  }
  readonly readOnly: string | null
  /** The endpoints that models may use, from all features. */
  readonly toolEndpoints: () => readonly string[]
  /** Loads the tools offered to models. */
  readonly loadTools: () => Promise<readonly Tool[]>
  /** Serves the whole app without listening on a port. */
  readonly server: () => Server
}

/** The endpoints as tools for models. */
export const mcp = {
  name: "mcp",
  async serve(_router, { accounts, oauth = null, config, readOnly, toolEndpoints, loadTools, server }) {
    const [{ mcpEndpoint }, { authentication }] = await Promise.all([
      import("./mcp-endpoint.ts"),
      import("../../server/middleware/authentication.ts"),
    ])
    const { bodyLimit, corsOrigins, publicUrl } = config
    const own = URL.parse(publicUrl)?.origin
    return {
      endpoints: ["mcp"],
      middleware: mcpEndpoint({
        server,
        authenticate: authentication(accounts.keys, { bodyKey: false }).beforeBody,
        oauth,
        endpoints: toolEndpoints,
        loadTools,
        notice: readOnly,
        bodyLimit,
        origins: [...corsOrigins, ...(own === undefined ? [] : [own])],
      }),
    }
  },
} as const satisfies Feature<Needs>
