import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request that the stub received. */
export interface StubRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { model: string; messages: { role: string; content: string }[] }
}

export interface StubModel extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly StubRequest[]
  /** Number of connections that the other side closed before the stub had answered. */
  abandoned(): number
}

/** A server that supports only OpenAI's chat completions: `answer` writes each response. There is no model. */
export async function startStubModel(
  answer: (request: StubRequest, response: ServerResponse) => void,
): Promise<StubModel> {
  const requests: StubRequest[] = []
  let abandoned = 0
  const server = createServer((incoming, response) => {
    response.on("close", () => (abandoned += response.writableFinished ? 0 : 1))
    const chunks: Buffer[] = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      if (!incoming.url?.endsWith("/chat/completions")) {
        response.writeHead(404).end('{"error":{"message":"Not Found"}}')
        return
      }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as StubRequest["body"]
      const request = { path: incoming.url ?? "", headers: incoming.headers, body }
      requests.push(request)
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    abandoned: () => abandoned,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers every request with the given text, in the format of such servers. */
export const saying = (text: string | ((request: StubRequest) => string)) => {
  return (request: StubRequest, response: ServerResponse): void => {
    const content = typeof text === "string" ? text : text(request)
    response.setHeader("Content-Type", "application/json")
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }))
  }
}
