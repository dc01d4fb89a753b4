/** Declares only the parts of Express that the MCP SDK's handlers need. */
declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void
  export interface Application extends Handler {
    disable(setting: string): void
    use(handler: unknown): void
    use(path: string, handler: unknown): void
  }
  export interface Response extends ServerResponse {
    status(code: number): this
    set(headers: Readonly<Record<string, string | readonly string[]>>): this
    send(body: string): this
  }
  export type RequestHandler = Handler
  export default function express(): Application
}
