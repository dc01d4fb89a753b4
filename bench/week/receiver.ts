import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A message as the operator received it. */
export interface Message {
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number
  readonly type: string
  readonly genuine: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** The operator's receiver: accepts webhooks and checks their signatures. */
export interface Receiver extends AsyncDisposable {
  readonly address: string
  readonly url: string
  readonly messages: readonly Message[]
}

/** Starts a receiver on loopback. @param secret the key with which messages are signed */
export async function startReceiver(secret: string): Promise<Receiver> {
  const messages: Message[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given } = request.headers
      const signed = createHmac("sha256", secret)
        .update(`${String(id)}.${String(time)}.${body}`)
        .digest("base64")
      const { type, data } = JSON.parse(body) as { type: string; data?: Record<string, unknown> }
      messages.push({ at: Date.now(), type, genuine: given === `v1,${signed}`, data: data ?? {} })
      response.writeHead(204).end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/`,
    messages,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}
