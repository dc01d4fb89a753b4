import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** The servers whose answers are imitated; `hosted` is OpenAI's own, with one of its reasoning models. */
export type RuntimeName = "ollama" | "vllm" | "lmStudio" | "llamaCpp" | "hosted"

export interface RuntimeRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>> & {
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
}

/** The model's reply to a request. */
export interface Said {
  readonly text: string
  /** Its reasoning before the reply; each server marks it in its own way. */
  readonly reasoning?: string
}

export interface RuntimeOptions {
  readonly says: (request: RuntimeRequest) => Said | string
  /** Number of tokens that the model can read and write; each word is one token. Default 8192. */
  readonly context?: number
  readonly key?: string
  /** Returns true once the model is loaded; until then the server answers like a real one that is still loading. */
  readonly isLoaded?: () => boolean
  /** Awaited after each word of a stream. */
  readonly afterWord?: (word: string) => Promise<void>
  /** Called before the server answers; if it returns true, it has answered the request itself. */
  readonly instead?: (request: RuntimeRequest, response: ServerResponse) => boolean
}

export interface ChatRuntime extends AsyncDisposable {
  /** The configured address, before `/chat/completions`. */
  readonly url: string
  /** Requests for chat completions. */
  readonly requests: readonly RuntimeRequest[]
  /** The body of the last request, without its messages. */
  lastBody(): Readonly<Record<string, unknown>>
}

const MODEL = "qwen3"
const CREATED = 1_795_369_015

/** Status and body of a refusal. */
type Refusal = readonly [status: number, body: unknown]

interface Kind {
  /** Names of the token limits that the server reads; it ignores others, unless `refuses` says otherwise. */
  readonly limits: readonly string[]
  refuses?(body: RuntimeRequest["body"], tokens: number, context: number): Refusal | null
  /** A piece of a message with reasoning in it. */
  thought(reasoning: string): Readonly<Record<string, unknown>>
  /** The server's description of itself, by path. */
  about(context: number): Readonly<Record<string, unknown>>
  readonly notFound: unknown
  readonly firstDelta: Readonly<Record<string, unknown>>
  /** Fields in addition to the usual ones. */
  readonly extra: Readonly<Record<string, unknown>>
}

const KINDS: Readonly<Record<RuntimeName, Kind>> = {
  // Based on Ollama's openai.go, docs/openai.md and docs/api.md.
  ollama: {
    limits: ["max_tokens"],
    thought: (reasoning) => ({ role: "assistant", content: "", reasoning }),
    about: (context) => ({
      "/v1/models": {
        object: "list",
        data: [{ id: `${MODEL}:latest`, object: "model", owned_by: "library" }],
      },
      "/api/ps": { models: [{ name: `${MODEL}:latest`, model: `${MODEL}:latest`, context_length: context }] },
      "/api/show": {
        parameters: 'stop                           "<|im_end|>"',
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      },
    }),
    notFound: "404 page not found",
    firstDelta: { role: "assistant", content: "" },
    extra: { system_fingerprint: "fp_ollama" },
  },
  // Based on vLLM's protocol.py and docs; version 0.10.
  vllm: {
    limits: ["max_completion_tokens", "max_tokens"],
    refuses(_, tokens, context) {
      if (tokens <= context) return null
      return [
        400,
        {
          error: {
            message: `This model's maximum context length is ${context} tokens. However, your request has ${tokens} input tokens. Please reduce the length of the input messages.`,
            type: "BadRequestError",
            param: "input_tokens",
            code: 400,
          },
        },
      ]
    },
    thought: (reasoning) => ({ reasoning_content: reasoning }),
    about: (context) => ({
      "/v1/models": {
        object: "list",
        data: [{ id: MODEL, object: "model", owned_by: "vllm", root: MODEL, max_model_len: context }],
      },
    }),
    notFound: { detail: "Not Found" },
    firstDelta: { role: "assistant", content: "" },
    extra: {},
  },
  // Based on LM Studio's docs; reasoning is part of the text unless a switch is set.
  lmStudio: {
    limits: ["max_tokens"],
    refuses({ response_format: form }) {
      const { type } = (form ?? {}) as { type?: string }
      return type === "json_object"
        ? [400, { error: "'response_format.type' must be 'json_schema' or 'text'" }]
        : null
    },
    thought: (reasoning) => ({ content: `<think>\n${reasoning}\n</think>\n\n` }),
    about: (context) => ({
      "/v1/models": {
        object: "list",
        data: [{ id: MODEL, object: "model", owned_by: "organization_owner" }],
      },
      "/api/v0/models": {
        object: "list",
        data: [
          { id: "nomic-embed", type: "embeddings", state: "not-loaded", max_context_length: 2048 },
          {
            id: MODEL,
            type: "llm",
            state: "loaded",
            max_context_length: 131_072,
            loaded_context_length: context,
          },
        ],
      },
    }),
    notFound: { error: "Unexpected endpoint or method. (GET /props)" },
    firstDelta: { role: "assistant" },
    extra: { system_fingerprint: MODEL },
  },
  // Recorded from llama-server (build 10434) with SmolLM2-135M-Instruct.
  llamaCpp: {
    limits: ["max_tokens", "max_completion_tokens"],
    refuses({ response_format: form }, tokens, context) {
      const { type } = (form ?? {}) as { type?: string }
      if (type !== undefined && !["text", "json_object", "json_schema"].includes(type)) {
        const message = `response_format type must be one of "text" or "json_object", but got: ${type}`
        return [400, { error: { code: 400, message, type: "invalid_request_error" } }]
      }
      if (tokens <= context) return null
      return [
        400,
        {
          error: {
            code: 400,
            message: `request (${tokens} tokens) exceeds the available context size (${context} tokens), try increasing it`,
            type: "exceed_context_size_error",
            n_prompt_tokens: tokens,
            n_ctx: context,
          },
        },
      ]
    },
    thought: (reasoning) => ({ reasoning_content: reasoning }),
    about: (context) => ({
      "/v1/models": {
        models: [{ name: MODEL, model: MODEL, type: "model", capabilities: ["completion"] }],
        object: "list",
        data: [
          {
            id: MODEL,
            object: "model",
            owned_by: "llamacpp",
            meta: { n_ctx: context * 4, n_ctx_train: 8192 },
          },
        ],
      },
      "/props": {
        default_generation_settings: { params: { seed: 4_294_967_295 }, n_ctx: context },
        total_slots: 4,
      },
    }),
    notFound: { error: { message: "File Not Found", type: "not_found_error", code: 404 } },
    firstDelta: { role: "assistant", content: null },
    extra: { system_fingerprint: "b1-7e4c0a9" },
  },
  // Based on OpenAI's reference and the refusals that its users report.
  hosted: {
    limits: ["max_completion_tokens"],
    refuses({ max_tokens: old, max_completion_tokens: limit, temperature }) {
      const refusal = (message: string, param: string, code: string): Refusal => [
        400,
        { error: { message, type: "invalid_request_error", param, code } },
      ]
      if (old !== undefined && limit !== undefined) {
        const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        return refusal(message, "max_tokens", "invalid_parameter_combination")
      }
      if (old !== undefined) {
        const message =
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return refusal(message, "max_tokens", "unsupported_parameter")
      }
      if (temperature !== undefined && temperature !== 1) {
        const message =
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
        return refusal(message, "temperature", "unsupported_value")
      }
      return null
    },
    // The model's reasoning is hidden.
    thought: () => ({}),
    about: () => ({
      "/v1/models": {
        object: "list",
        data: [{ id: MODEL, object: "model", owned_by: "system" }, { id: "other" }],
      },
    }),
    notFound: { error: { message: "Invalid URL", type: "invalid_request_error" } },
    firstDelta: { role: "assistant", content: "", refusal: null },
    extra: { system_fingerprint: null, service_tier: "default" },
  },
}

/**
 * A server that behaves like one of the runtimes, over a real socket: its streams and objects, its refusals, its
 * context size, its loading phase. There is no model: it returns the replies it is given.
 */
export async function startChatRuntime(name: RuntimeName, options: RuntimeOptions): Promise<ChatRuntime> {
  const { says, context = 8192, key, isLoaded = () => true, afterWord, instead } = options
  const kind = KINDS[name]
  const requests: RuntimeRequest[] = []

  function complete(request: RuntimeRequest, response: ServerResponse): void {
    const { body } = request
    const tokens = wordsIn(body.messages.map(({ content }) => content).join(" ")).length
    const refusal = kind.refuses?.(body, tokens, context) ?? null
    if (refusal) return answer(response, ...refusal)
    const said = says(request)
    const { text, reasoning } = typeof said === "string" ? { text: said, reasoning: undefined } : said
    const limit = kind.limits.map((one) => body[one]).find((one): one is number => typeof one === "number")
    const thoughts = wordsIn(reasoning ?? "").slice(0, limit)
    const words = wordsIn(text)
    const written = words.slice(0, limit === undefined ? undefined : Math.max(0, limit - thoughts.length))
    const isCut = limit !== undefined && thoughts.length + words.length > limit
    const pieces = [
      ...(thoughts.length > 0 ? [kind.thought(thoughts.join(""))] : []),
      ...written.map((content) => ({ content })),
    ]
    const finish = isCut ? "length" : "stop"
    if (body["stream"] === true) void streamed(response, pieces, finish)
    else answer(response, 200, whole(pieces, finish))
  }

  function whole(pieces: readonly Readonly<Record<string, unknown>>[], finish_reason: string): unknown {
    const message: Record<string, unknown> = { role: "assistant", content: "" }
    for (const piece of pieces) {
      for (const [member, value] of Object.entries(piece)) {
        if (member !== "role")
          message[member] = `${(message[member] as string | undefined) ?? ""}${value as string}`
      }
    }
    const choices = [{ index: 0, message, finish_reason }]
    return {
      id: "chatcmpl-554",
      object: "chat.completion",
      created: CREATED,
      model: MODEL,
      ...kind.extra,
      choices,
    }
  }

  async function streamed(
    response: ServerResponse,
    pieces: readonly Readonly<Record<string, unknown>>[],
    finish_reason: string,
  ): Promise<void> {
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" })
    const base = {
      id: "chatcmpl-554",
      object: "chat.completion.chunk",
      created: CREATED,
      model: MODEL,
      ...kind.extra,
    }
    const send = (choices: readonly unknown[], more = {}) =>
      response.write(`data: ${JSON.stringify({ ...base, choices, ...more })}\n\n`)
    send([{ index: 0, delta: kind.firstDelta, finish_reason: null }])
    for (const delta of pieces) {
      send([{ index: 0, delta, finish_reason: null }])
      if (typeof delta["content"] === "string") await afterWord?.(delta["content"])
    }
    send([{ index: 0, delta: {}, finish_reason }])
    if (name === "llamaCpp") send([], { usage: { completion_tokens: 12 }, timings: { predicted_n: 12 } })
    response.end("data: [DONE]\n\n")
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const path = incoming.url ?? ""
      const text = Buffer.concat(chunks).toString()
      const request = {
        path,
        headers: incoming.headers,
        body: JSON.parse(text || "{}") as RuntimeRequest["body"],
      }
      if (key !== undefined && incoming.headers.authorization !== `Bearer ${key}`) {
        const given = incoming.headers.authorization
        return answer(response, 401, { error: { message: `Incorrect API key provided: ${given}` } })
      }
      if (path !== "/v1/chat/completions") {
        const told = kind.about(context)[path]
        return told === undefined ? answer(response, 404, kind.notFound) : answer(response, 200, told)
      }
      requests.push(request)
      if (instead?.(request, response)) return
      if (isLoaded()) return complete(request, response)
      if (name === "llamaCpp" || name === "vllm") {
        const error = { message: "Loading model", type: "unavailable_error", code: 503 }
        return answer(response, 503, { error })
      }
      // The other servers don't respond until the model is loaded.
      const waiting = setInterval(() => {
        if (!isLoaded()) return
        clearInterval(waiting)
        complete(request, response)
      }, 5)
      response.on("close", () => clearInterval(waiting))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    lastBody() {
      const { messages: _, ...rest } = requests.at(-1)!.body
      return rest
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

/** The words of a text, each with the white space after it. */
const wordsIn = (text: string): string[] => text.match(/\S+\s*/g) ?? []
