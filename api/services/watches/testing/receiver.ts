import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"

import { startTestSite } from "#crawler/testing/test-site.ts"

/** A message as received. */
export interface Received {
  /** The same for every attempt to send one message. */
  readonly id: string
  readonly type: string
  readonly isGenuine: boolean
  readonly data: {
    readonly watch: { readonly id: string; readonly name: string }
    readonly entries: readonly { readonly id: string; readonly change: string; readonly url: string }[]
  }
}

/** Receives webhooks from watches and checks their signatures. @param secretOf returns the secret when a message arrives */
export async function startReceiver(secretOf: () => string) {
  const messages: Received[] = []
  const site = await startTestSite({
    "/hook": async (request, response) => {
      const body = await textOf(request)
      const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given } = request.headers
      const key = Buffer.from(secretOf().slice("whsec_".length), "base64")
      const right = createHmac("sha256", key)
        .update(`${String(id)}.${String(time)}.${body}`)
        .digest("base64")
      const { type, data } = JSON.parse(body) as Pick<Received, "type" | "data">
      messages.push({ id: String(id), type, data, isGenuine: given === `v1,${right}` })
      response.writeHead(204).end()
    },
  })
  return {
    url: site.url("/hook"),
    messages,
    /** The entries received, without duplicates. */
    entries: () => {
      const kept = new Map(messages.map((one) => [one.id, one]))
      return [...kept.values()].flatMap(({ data }) => data.entries)
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}
