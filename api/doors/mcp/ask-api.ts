import { once } from "node:events"
import {
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
} from "node:http"
import { duplexPair } from "node:stream"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"

import { request } from "undici"

import type { Api } from "../../server/operation/tool.ts"
import { Refused, type Warned } from "../../server/tools/answers.ts"
import { presentWarnings } from "../../server/wire/warnings.ts"

/** The first pause between checks of a task; each further pause is 1.5 times as long, up to the maximum. */
const FIRST_POLL_MS = 500
const MAX_POLL_MS = 5000

/** An API response with any status. */
export interface ApiAnswer {
  readonly status: number
  /** Parsed JSON; null if the response wasn't JSON. */
  readonly body: unknown
}

/** Calls the API as one caller: POST with a JSON body, GET with null. Rejects if the API cannot be reached. */
export type AskApi = (path: string, body: object | null, signal: AbortSignal) => Promise<ApiAnswer>

/** The API of an appliance at `base`, called over the network. */
export function askOverHttp(base: string, headers: Readonly<Record<string, string>>): AskApi {
  return async (path, body, signal) => {
    // fetch() isn't used because it sends the body in a separate packet: the server's delayed acknowledgement then
    // costs 40 ms.
    const answer = await request(base + path, {
      method: body === null ? "GET" : "POST",
      headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(body),
      signal,
    })
    return { status: answer.statusCode, body: parsed(await answer.body.text()) }
  }
}

/**
 * This process's own API: the same requests over a pair of in-memory streams instead of a socket, so that a call goes
 * through everything that an outside call goes through.
 */
export function askInProcess(server: Server, headers: OutgoingHttpHeaders): AskApi {
  return async (path, body, signal) => {
    const [near, far] = duplexPair()
    server.emit("connection", far)
    try {
      const call = httpRequest({
        createConnection: () => near,
        method: body === null ? "GET" : "POST",
        path,
        headers: {
          ...headers,
          host: "localhost",
          ...(body && { "content-type": "application/json" }),
          connection: "close",
        },
        signal,
      })
      call.end(body === null ? undefined : JSON.stringify(body))
      const [response] = (await once(call, "response")) as [IncomingMessage]
      return { status: response.statusCode!, body: parsed(await text(response)) }
    } finally {
      near.destroy()
      far.destroy()
    }
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

export function apiOver(ask: AskApi, signal: AbortSignal): Api {
  const taken = (answer: ApiAnswer): unknown => {
    if (answer.status !== 200) throw new Refused(answer)
    return answer.body
  }
  return {
    get: async (path) => taken(await ask(path, null, signal)),
    post: async (path, body) => {
      const first = await ask(path, body, signal)
      return taken(path === "/research" && first.status === 200 ? await ended(ask, first, signal) : first)
    },
  }
}

/** Waits until a task has ended. @returns its last answer */
async function ended(ask: AskApi, { body }: ApiAnswer, signal: AbortSignal): Promise<ApiAnswer> {
  const { warnings = [] } = body as Warned
  const warned = presentWarnings(warnings)
  const task = `/research/${(body as { readonly request_id: string }).request_id}`
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 1.5, MAX_POLL_MS)) {
    await pause(wait, undefined, { signal })
    const answer = await ask(task, null, signal)
    if (answer.status !== 202) return { ...answer, body: { ...(answer.body as object), ...warned } }
  }
}
