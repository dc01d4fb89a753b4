import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { until } from "#base/testing/until.ts"
import type { Try } from "./calls.ts"

/** A response as received. */
export interface Said {
  readonly status: number
  readonly text: string
}

/** Headers in addition to the key. */
export type Headers = Readonly<Record<string, string>>

/** Makes the call, and waits for its task to end, if any. @param url address of the appliance */
export async function said(
  one: Try,
  key: string,
  url: string,
  tools: Tools,
  headers: Headers = {},
): Promise<Said> {
  if (one.tool !== undefined) return await tools.call(key, one.tool, one.body ?? {}, headers)
  const first = await ask(url + one.path, key, one.body, headers)
  if (one.task === undefined || first.status >= 400) return first
  const task = JSON.parse(first.text) as { id?: string; request_id?: string }
  const path = url + one.task + (task.request_id ?? task.id)
  let last = first
  await until(async () => {
    last = await ask(path, key, undefined, headers)
    return last.status !== 202 && !/"status":\s*"(?:scraping|pending|in_progress)"/.test(last.text)
  })
  return last
}

/** A call with a key: POST if there is a body, otherwise GET. */
export async function ask(url: string, key: string, body?: object, headers: Headers = {}): Promise<Said> {
  const answer = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** The MCP tools, through the official client. */
export class Tools implements AsyncDisposable {
  readonly #url: string
  readonly #clients = new Map<string, Promise<Client>>()

  constructor(url: string) {
    this.#url = url
  }

  async call(
    key: string,
    name: string,
    given: Readonly<Record<string, unknown>>,
    headers: Headers = {},
  ): Promise<Said> {
    const whose = `${key} ${JSON.stringify(headers)}`
    const client = await (this.#clients.get(whose) ?? this.#connect(whose, key, headers))
    try {
      return { status: 200, text: JSON.stringify(await client.callTool({ name, arguments: { ...given } })) }
    } catch (error) {
      // A tool that isn't available to this key.
      return { status: 400, text: String(error) }
    }
  }

  #connect(whose: string, key: string, headers: Headers): Promise<Client> {
    const connecting = (async () => {
      const client = new Client({ name: "proof", version: "1" })
      const transport = new StreamableHTTPClientTransport(new URL(`${this.#url}/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${key}`, ...headers } },
      })
      await client.connect(transport)
      return client
    })()
    this.#clients.set(whose, connecting)
    return connecting
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients.values()) await (await client).close()
  }
}
