import { Agent, request } from "undici"

export interface ChatMessage {
  readonly role: "system" | "user"
  readonly content: string
}

/** A language model that continues a conversation. */
export interface ChatModel extends AsyncDisposable {
  /**
   * The model's reply, as text.
   * @throws ChatModelError when there is none within the time or it is no reply; whatever `signal` aborts with
   */
  reply(
    messages: readonly ChatMessage[],
    options: { maxTokens: number; signal: AbortSignal },
  ): Promise<string>
}

/** Why a model gave no reply. The message holds nothing of the conversation. */
export class ChatModelError extends Error {
  override readonly name = "ChatModelError"
}

/** The settings of the model; see `api/settings.ts`. */
interface ChatSettings {
  /** Base address; empty: no model. */
  readonly llmUrl: string
  readonly llmModel: string
  readonly llmApiKey: string
  readonly llmTimeoutMs: number
  readonly llmConcurrency: number
}

/** A reply of some hundred words is a few kilobytes; nobody needs more than this. */
const MAX_REPLY_BYTES = 256 * 1024

/** The model that the settings name, or null when they name none. */
export function openChatModel(settings: ChatSettings): ChatModel | null {
  return settings.llmUrl === "" ? null : new OpenAiChat(settings)
}

/**
 * A server that speaks OpenAI's chat completions (Ollama, vLLM, llama.cpp and others).
 *
 * The address is the operator's own setting and may be on this machine or a private network. Redirects are not
 * followed: they could lead the key elsewhere.
 */
class OpenAiChat implements ChatModel {
  readonly #settings: ChatSettings
  readonly #agent = new Agent()
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(settings: ChatSettings) {
    this.#settings = settings
  }

  async reply(
    messages: readonly ChatMessage[],
    { maxTokens, signal }: { maxTokens: number; signal: AbortSignal },
  ): Promise<string> {
    const late = AbortSignal.timeout(this.#settings.llmTimeoutMs)
    const either = AbortSignal.any([signal, late])
    try {
      await this.#turn(either)
      try {
        return replyText(await this.#post(messages, maxTokens, either))
      } finally {
        this.#release()
      }
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) throw new ChatModelError(`no reply within ${this.#settings.llmTimeoutMs} ms`)
      if (error instanceof ChatModelError) throw error
      throw new ChatModelError(`the request failed (${(error as NodeJS.ErrnoException).code ?? "unknown"})`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }

  async #post(messages: readonly ChatMessage[], maxTokens: number, signal: AbortSignal): Promise<string> {
    const { llmUrl, llmModel, llmApiKey } = this.#settings
    const { statusCode, body } = await request(`${llmUrl}/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(llmApiKey !== "" && { authorization: `Bearer ${llmApiKey}` }),
      },
      body: JSON.stringify({
        model: llmModel,
        messages,
        temperature: 0,
        max_tokens: maxTokens,
        stream: false,
      }),
      dispatcher: this.#agent,
      // One clock for all: the signal.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    })
    if (statusCode !== 200) {
      // Destroyed before its end, a body also emits an error, which nobody else would listen to.
      body.on("error", () => {}).destroy()
      throw new ChatModelError(`the server answered ${statusCode}`)
    }
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // Leaving the loop closes the connection.
      if (bytes > MAX_REPLY_BYTES)
        throw new ChatModelError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString("utf8")
  }

  /** Waits until fewer than the allowed number of requests are running. */
  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#running < this.#settings.llmConcurrency) {
      this.#running++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      reject(signal.reason as Error)
    }
    signal.addEventListener("abort", onAbort, { once: true })
    this.#waiting.push(resolve)
    try {
      await promise
    } finally {
      signal.removeEventListener("abort", onAbort)
    }
  }

  /** Hands the place on to who waits longest. */
  #release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}

function replyText(body: string): string {
  let reply: unknown
  try {
    reply = JSON.parse(body)
  } catch {
    throw new ChatModelError("the reply is no JSON")
  }
  const { choices } = (reply ?? {}) as { choices?: { message?: { content?: unknown } }[] }
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined
  if (typeof content !== "string" || content.trim() === "")
    throw new ChatModelError("the reply holds no text")
  return content
}
