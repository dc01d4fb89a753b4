import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ApiRequest } from "./api-request.ts"
import type { Answer } from "./recording.ts"

export interface Listening {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Answers JSON requests on a free port of this machine. If `answer` throws, the response is a 500 with the error's message. */
export async function listen(
  answer: (request: ApiRequest, authorization: string | undefined) => Promise<Answer>,
): Promise<Listening> {
  const server: Server = createServer((incoming, response) => {
    void reply(incoming, response, answer)
  })
  // A client may be reusing an idle connection, which must not be closed at that moment.
  server.keepAliveTimeout = 60_000
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

async function reply(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: (request: ApiRequest, authorization: string | undefined) => Promise<Answer>,
): Promise<void> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
  } catch {
    // The client died midway: the request counts as never made.
    return
  }
  const { method = "GET", url = "/" } = incoming
  const request = { method, path: url, body: Buffer.concat(chunks).toString() }
  const { status, body } = await answer(request, incoming.headers.authorization).catch((error: unknown) => ({
    status: 500,
    body: JSON.stringify({ message: String(error), code: "internal", type: "internal", link: "" }),
  }))
  response.writeHead(status, { "content-type": "application/json" }).end(body)
}
