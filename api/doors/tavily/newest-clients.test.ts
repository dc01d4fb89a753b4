import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

import { tavily } from "@tavily/core"
import { expect, test } from "vitest"

import { researchSchema } from "../../services/research/request.ts"
import { type ClientCall, NEWEST_CLIENTS } from "../../testing/clients/sent-fields.ts"
import { feedbackSchema } from "../../operator/usage/schema.ts"
import { unknownFields } from "../../server/wire/warnings.ts"
import { crawlSchema, extractSchema, mapSchema, searchSchema } from "./schema.ts"

const SCHEMAS = {
  search: searchSchema,
  extract: extractSchema,
  crawl: crawlSchema,
  map: mapSchema,
  research: researchSchema,
  feedback: feedbackSchema,
}
/** Fields that a client sends although the endpoint doesn't use them: the answer contains a warning. */
const WITHOUT_USE: Readonly<Record<string, readonly string[]>> = {
  "tavily-python map": ["include_images"],
}

const cases = NEWEST_CLIENTS.flatMap(({ client, version, sent }) =>
  Object.entries(sent).map(([call, fields]) => ({ client, version, call: call as ClientCall, fields })),
)

test.each(cases)("every field that $client $version sends to $call has an effect, or a warning", (one) => {
  const body = Object.fromEntries(one.fields.map((field) => [field, 1]))
  const warned = unknownFields(SCHEMAS[one.call], body).map(({ field }) => field)
  expect(warned).toEqual(WITHOUT_USE[`${one.client} ${one.call}`] ?? [])
})

test("the installed @tavily/core sends these fields, and no others", async () => {
  const bodies = new Map<string, object>()
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.set(request.url!.slice(1), body as object)
      return response
        .writeHead(400, { "Content-Type": "application/json" })
        .end('{"detail":{"error":"seen"}}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  await using _ = { [Symbol.asyncDispose]: async () => void server.close() }
  const { version, sent } = NEWEST_CLIENTS.find(({ client }) => client === "@tavily/core")!
  const installed = new URL("../../../node_modules/@tavily/core/package.json", import.meta.url)
  expect(JSON.parse(await readFile(installed, "utf8"))).toHaveProperty("version", version)
  const client = tavily({
    apiKey: "key",
    apiBaseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }) as unknown as Record<ClientCall, (...given: unknown[]) => Promise<unknown>>
  const inOptions = (fields: readonly string[]) =>
    Object.fromEntries(fields.map((field) => [field.replaceAll(/_./g, ([, c]) => c!.toUpperCase()), 2]))
  for (const [call, fields] of Object.entries(sent)) {
    // The client inspects these lists, and doesn't accept a stream as JSON.
    const options = { ...inOptions(fields), extraScores: [], urlsScores: [], stream: false }
    const first = { feedback: [], extract: [["https://example.com/"]] }[call] ?? ["given"]
    await expect(client[call as ClientCall](...first, options)).rejects.toThrow("seen")
    // Options that the endpoint does not declare are passed on unchanged.
    const given = new Set(["stream", "extraScores", "urlsScores"].filter((name) => !fields.includes(name)))
    const seen = Object.keys(bodies.get(call)!).filter((field) => !given.has(field))
    expect(seen.toSorted()).toEqual(fields.toSorted())
  }
})
