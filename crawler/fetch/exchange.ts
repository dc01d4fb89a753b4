import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import type { QueuedAccount } from "#base/flow/memory/queued-budget.ts"
import { join } from "./content-encoding.ts"
import { codeOf } from "./network-error.ts"

export interface ExchangeOptions {
  readonly headers: Readonly<Record<string, string>>
  /** The body of a POST. Default: a GET without a body. */
  readonly post?: string
  /** Maximum number of body bytes, as sent; if the body is larger, the exchange ends as `too-large`. */
  readonly maxBytes: number
  /** The account from which the body's bytes are reserved. If no memory is available, reading pauses. */
  readonly memory?: QueuedAccount | undefined
  /** Whether to read the body of this response. */
  wants(status: number, headers: IncomingHttpHeaders): boolean
  readonly signal: AbortSignal
}

/** The result of one request, without redirects, decompression or interpretation. */
export type Exchange =
  | {
      readonly kind: "response"
      readonly status: number
      readonly headers: IncomingHttpHeaders
      /** The body as sent; empty if it was not wanted. */
      readonly body: Uint8Array
    }
  /** The connection ended before the end of a wanted body. */
  | {
      readonly kind: "cut-off"
      readonly status: number
      readonly headers: IncomingHttpHeaders
      /** The part that arrived, as sent. */
      readonly body: Uint8Array
    }
  | { readonly kind: "too-large" }
  | { readonly kind: "error"; readonly error: Error }

/** Maximum size of an unwanted body that is still read to its end, since that costs less than a new connection. */
const DRAINED_BYTES = 65_536

class Stop extends Error {}

/**
 * Sends a GET or a POST directly through the dispatcher. This avoids creating a stream for each body, which is a large
 * share of the cost of a small page.
 */
export function exchange(dispatcher: Dispatcher, url: URL, options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null
    let status = 0
    let headers: IncomingHttpHeaders = {}
    let wanted = false
    let size = 0
    let chunks: Buffer[] = []
    const abort = () => {
      if (controller) controller.abort(abortReason(options.signal))
      // The request is still waiting for a connection, so there is nothing to abort, and the result is returned at
      // once.
      else finish({ kind: "error", error: abortReason(options.signal) })
    }
    const finish = (result: Exchange) => {
      options.signal.removeEventListener("abort", abort)
      chunks = []
      resolve(result)
    }
    options.signal.addEventListener("abort", abort)
    const answer = <Kind extends "response" | "cut-off">(kind: Kind) => ({
      kind,
      status,
      headers,
      body: join(chunks, wanted ? size : 0),
    })
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: options.post === undefined ? "GET" : "POST",
        headers: options.headers,
        body: options.post ?? null,
      },
      {
        onRequestStart(started) {
          controller = started
          if (options.signal.aborted) started.abort(abortReason(options.signal))
        },
        onResponseStart(started, code, received) {
          if (code < 200) return
          status = code
          headers = received
          wanted = options.wants(code, received)
          const length = Number(received["content-length"] ?? 0)
          if (wanted && length > options.maxBytes) started.abort(new Stop("too-large"))
          else if (!wanted && length > DRAINED_BYTES) started.abort(new Stop("unwanted"))
        },
        onResponseData(started, chunk) {
          size += chunk.byteLength
          if (wanted) {
            if (size > options.maxBytes) started.abort(new Stop("too-large"))
            else {
              chunks.push(chunk)
              const room = options.memory?.reserve(chunk.byteLength)
              if (room) {
                started.pause()
                void room.then(() => started.resume())
              }
            }
          } else if (size > DRAINED_BYTES) started.abort(new Stop("unwanted"))
        },
        onResponseEnd() {
          finish(answer("response"))
        },
        onResponseError(_, error) {
          if (error instanceof Stop && error.message === "too-large") finish({ kind: "too-large" })
          else if (error instanceof Stop) finish(answer("response"))
          else if (status === 0 || options.signal.aborted || isSilence(error))
            finish({ kind: "error", error })
          // A body that isn't wanted doesn't have to be complete.
          else finish(answer(wanted ? "cut-off" : "response"))
        },
      },
    )
  })
}

/** Whether the site stopped sending while the connection stayed open. */
const isSilence = (error: Error): boolean =>
  ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"].includes(codeOf(error))

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("aborted")
}
