import { Agent, type Dispatcher, request } from "undici"
import { ForeignJsonError, readForeign } from "#base/text/json/foreign-json.ts"
import { hidden } from "#base/telemetry/log/hidden.ts"
import { masked } from "#base/telemetry/log/masked.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"
import type { OutboundPurpose } from "#base/outbound/purposes.ts"
import type { Span } from "#base/telemetry/traces/tracer.ts"
import { traced, traceparent } from "#base/telemetry/traces/tracing.ts"
import { waitAskedFor } from "#base/text/retry-after.ts"
import { printableLine } from "#base/text/printable.ts"

export interface ModelServerOptions {
  /** Base address, without a trailing slash. */
  readonly url: string
  /** Sent as `Authorization: Bearer`; if empty, no such header is sent. */
  readonly key: string
  /** The purpose of the server. */
  readonly purpose: OutboundPurpose
}

export interface PostOptions {
  /** Time limit for everything, from connecting to the last byte. */
  readonly timeoutMs: number
  /** Maximum size of a response; larger ones are discarded. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** Maximum length of the server's own error message; longer ones are truncated. */
const SAID_CHARS = 200
const SAID_BYTES = 4096

/**
 * The reason why a model server gave no usable response. The message continues a sentence that begins with the server
 * ("answered 500"), and contains neither the key nor anything that was sent.
 */
export class ModelServerError extends Error {
  override readonly name = "ModelServerError"
  /** Status of the response; null if there was none. */
  readonly status: number | null
  /** The server's own message. It can repeat the request, so only the sender may see it. */
  readonly said: string
  /** How long the server asks to be left alone; null if it doesn't. */
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    {
      status = null,
      said = "",
      retryAfterMs = null,
    }: { status?: number | null; said?: string; retryAfterMs?: number | null } = {},
  ) {
    super(message)
    this.status = status
    this.said = said
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request might succeed later: there was no response, there were too many requests (RFC 6585 §4), or the server failed. */
  get isPassing(): boolean {
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

/**
 * A model server with a JSON API.
 *
 * The address is set by the operator and may be on this machine or in a private network, so the address guard doesn't
 * apply. Redirects aren't followed: they could send the key elsewhere.
 */
export class ModelServer implements AsyncDisposable {
  readonly #options: ModelServerOptions
  readonly #agent = new Agent()

  constructor(options: ModelServerOptions) {
    this.#options = options
  }

  /**
   * Sends JSON and returns the JSON response.
   * @param path path below the base address, with a leading slash
   * @throws ModelServerError; the abort reason of `signal`
   */
  async post(path: string, body: object, options: PostOptions): Promise<unknown> {
    return await this.#json({ method: "POST", path, body }, options)
  }

  /** Like `post`, for a request without a body. */
  async get(path: string, options: PostOptions): Promise<unknown> {
    return await this.#json({ method: "GET", path }, options)
  }

  /**
   * Returns a response as it arrives, from a server that may send it in parts.
   * @returns whether it consists of server-sent events, and its text piece by piece; leaving the loop closes the
   * connection
   * @throws ModelServerError, also while the text is read; the abort reason of `signal`
   */
  async stream(
    path: string,
    body: object,
    { maxBytes, signal }: Omit<PostOptions, "timeoutMs"> & { readonly signal: AbortSignal },
  ): Promise<{ readonly isEvents: boolean; readonly text: AsyncIterable<string> }> {
    const asked: Asked = { method: "POST", path, body, accept: "text/event-stream, application/json" }
    const inOurWords = (error: unknown): Error => {
      return signal.aborted ? (signal.reason as Error) : unreached(error)
    }
    try {
      const { headers, body: answer } = await this.#again(() => this.#request(asked, signal))
      const isEvents = String(headers["content-type"]).includes("text/event-stream")
      return { isEvents, text: textOf(answer, maxBytes, inOurWords) }
    } catch (error) {
      throw inOurWords(error)
    }
  }

  async #json(asked: Asked, { timeoutMs, maxBytes, signal }: PostOptions): Promise<unknown> {
    const late = AbortSignal.timeout(timeoutMs)
    const either = signal ? AbortSignal.any([signal, late]) : late
    try {
      return await this.#again(async () => {
        const { body } = await this.#request(asked, either)
        return await jsonOf(body, maxBytes)
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (late.aborted) throw new ModelServerError(`gave no answer within ${timeoutMs} ms`)
      throw unreached(error)
    }
  }

  /** A server can close a kept-alive connection just as it is used again. */
  async #again<T>(ask: () => Promise<T>): Promise<T> {
    return await ask().catch((error: unknown) => (isCut(error) ? ask() : Promise.reject(error as Error)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }

  /** @returns the response if its status is a success */
  async #request(
    { method, path, body: sent, accept = "application/json" }: Asked,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { url, key, purpose } = this.#options
    return await traced(
      `ask ${purpose}`,
      { kind: "client", attributes: { "http.request.method": method } },
      (span) => this.#send({ method, path, sent, accept, url, key }, signal, span),
    )
  }

  async #send(
    { method, path, sent, accept, url, key }: Sent,
    signal: AbortSignal,
    span: Span,
  ): Promise<Dispatcher.ResponseData> {
    const parent = traceparent()
    const answer = await request(`${url}${path}`, {
      method,
      headers: {
        accept,
        ...(sent !== undefined && { "content-type": "application/json" }),
        ...(key !== "" && { authorization: `Bearer ${key}` }),
        ...(parent !== undefined && { traceparent: parent }),
      },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
      dispatcher: this.#agent,
      // The signal is the only timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    })
    noteOutbound(this.#options.purpose, new URL(url).host)
    const { statusCode, headers, body } = answer
    span.set({ "http.response.status_code": statusCode })
    if (statusCode === 200) return answer
    const retryAfterMs = waitAskedFor([headers["retry-after"]].flat()[0], Date.now())
    throw new ModelServerError(inWords(statusCode), {
      status: statusCode,
      said: this.#shown(await firstBytes(body)),
      retryAfterMs,
    })
  }

  #shown(text: string): string {
    const { key } = this.#options
    const shown = masked(hidden(text, [key]))
    return printableLine(shown.trim()).slice(0, SAID_CHARS)
  }
}

interface Sent extends Pick<Asked, "method" | "path"> {
  readonly sent: object | undefined
  readonly accept: string
  readonly url: string
  readonly key: string
}

interface Asked {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: object
  /** By default, only JSON is accepted. */
  readonly accept?: string
}

async function jsonOf(body: Dispatcher.ResponseData["body"], maxBytes: number): Promise<unknown> {
  try {
    return await readForeign(body as AsyncIterable<Buffer>, maxBytes)
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error
    throw new ModelServerError(`gave an answer that ${error.message}`, { status: 200 })
  }
}

async function* textOf(
  body: Dispatcher.ResponseData["body"],
  maxBytes: number,
  inOurWords: (error: unknown) => Error,
): AsyncGenerator<string> {
  // A character can be split between two chunks.
  const decoder = new TextDecoder()
  try {
    for await (const chunk of limited(body, maxBytes)) yield decoder.decode(chunk, { stream: true })
  } catch (error) {
    throw inOurWords(error)
  }
}

/** Leaving the loop closes the connection. */
async function* limited(body: Dispatcher.ResponseData["body"], maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new ModelServerError(`gave an answer of more than ${maxBytes} bytes`, { status: 200 })
    yield chunk
  }
}

/** Turns a failure without a response into an error. */
const unreached = (error: unknown): ModelServerError =>
  error instanceof ModelServerError ? error : new ModelServerError(`cannot be reached (${codeOf(error)})`)

const isCut = (error: unknown): boolean => ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(codeOf(error))

const codeOf = (error: unknown): string => {
  const { code, cause } = error as NodeJS.ErrnoException
  return code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? "unknown"
}

function inWords(status: number): string {
  if (status === 401 || status === 403) return `answered ${status}: it does not accept the key`
  if (status === 404) return "answered 404: there is nothing at this address, or it has no such model"
  if (status === 429) return "answered 429: too many requests"
  if (status >= 300 && status < 400) return `answered ${status}: it redirects, which Fossick doesn't follow`
  return `answered ${status}`
}

/** Reads the first bytes of a body, and discards the rest. */
async function firstBytes(body: Dispatcher.ResponseData["body"]): Promise<string> {
  // A body that is destroyed before its end also emits an error, which has no other listener.
  body.on("error", () => undefined)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= SAID_BYTES) break
    }
  } catch {
    // Ignored: the bytes read so far are enough.
  }
  return Buffer.concat(chunks).subarray(0, SAID_BYTES).toString("utf8")
}
