import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly authorization: string | undefined
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly Request[]
}

/**
 * A server on a free port that responds as a test specifies, to simulate what a real server does only when in trouble.
 * `null` drops the connection.
 */
export async function startServer(
  answer: (request: Request, nth: number) => Answer | null,
): Promise<ScriptedServer> {
  const requests: Request[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const { method = "", url: path = "", headers } = incoming
      const request = {
        method,
        path,
        body: Buffer.concat(chunks).toString(),
        authorization: headers.authorization,
      }
      requests.push(request)
      const answered = answer(request, requests.length - 1)
      if (!answered) {
        incoming.socket.destroy()
        return
      }
      response.writeHead(answered.status, { "content-type": "application/json" })
      response.end(JSON.stringify(answered.body))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}
