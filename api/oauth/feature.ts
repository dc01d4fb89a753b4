import type { Feature } from "../feature.ts"
import type { OAuth } from "./oauth-endpoints.ts"

interface Needs {
  /** Left out: programs need a key. */
  readonly oauth?: Pick<OAuth, "endpoints">
}

/** Lets programs in over MCP without a key. */
export const oauth = {
  name: "oauth",
  serve: async (_router, { oauth: opened }) => opened && { middleware: opened.endpoints },
} satisfies Feature<Needs>
