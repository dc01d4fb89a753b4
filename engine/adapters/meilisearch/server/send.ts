import { request } from "undici"
import { noteOutbound } from "#base/outbound/outbound.ts"

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/** Sends one request to the server. Rejects if there is no response. */
export type Send = (
  url: string,
  init: Pick<RequestInit, "method" | "headers" | "body" | "signal">,
) => Promise<ServerAnswer>

/**
 * Headers and body are sent in one packet. `fetch` sends two, and the second waits until the server has acknowledged
 * the first, which the server delays by 40 ms (Nagle, RFC 896; delayed acknowledgements, RFC 1122 4.2.3.2).
 */
export const send: Send = async (url, { method = "GET", headers, body, signal }) => {
  const { statusCode, body: answer } = await request(url, {
    method: method as "GET",
    headers: Object.fromEntries(new Headers(headers)),
    body: (body ?? null) as string | null,
    signal: signal ?? null,
  })
  noteOutbound("engine", new URL(url).host)
  return { status: statusCode, text: await answer.text() }
}
