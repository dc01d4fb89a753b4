import { FairPool } from "#base/flow/fair-pool.ts"
import { pause } from "#base/flow/pause.ts"
import type { Values } from "#base/settings.ts"
import { Availability, ModelOutage } from "#engine/models/servers/availability.ts"
import { ModelServer, ModelServerError } from "#engine/models/servers/model-server.ts"
import { serverKey } from "#engine/models/servers/server-key.ts"

import { type Abilities, ALL_ABILITIES, bodyFor, contextRefused, lessAfter } from "./abilities.ts"
import { type ChatModel, ChatModelError, type Prompt, type Reply, type ReplyOptions } from "./chat-model.ts"
import { contextSize } from "./context-size.ts"
import { Patience } from "./patience.ts"
import { type Arrived, NoReply, ReplyReader } from "./reply-wire.ts"
import type { chatModelSettings } from "./settings.ts"

export type ChatSettings = Values<typeof chatModelSettings>

/** Maximum size of a stream, in which each token has about 250 bytes of JSON around it. */
const MAX_STREAM_BYTES = 8 * 1024 * 1024
/** Maximum number of characters per token: no reply averages more, so a server that ignores the token limit is cut off here. */
const CHARS_OF_TOKEN = 8
/** Milliseconds between checks of a server that is loading its model. */
const LOADING_MS = 1000
/** Milliseconds before the first retry; each further retry waits twice as long. */
const FIRST_RETRY_MS = 500
/** Context size of a model whose server does not report it: the smallest size common today. */
const USUAL_CONTEXT = 8192
/** Number of tokens for the roles and marks that a chat template puts between messages. */
const TEMPLATE_TOKENS = 200
const LEAST_ROOM = 256
const SENTENCE_END = /[\n.!?。！？\]】)]/
const ASK_CONTEXT_MS = 2000
/** Maximum number of attempts after refusals: each refusal removes one ability or shortens the prompt, which cannot happen more times than this. */
const MOST_LESSONS = 10
/** The shortest possible prompt, to see whether a model answers. */
export const ONE_WORD: Prompt = () => [{ role: "user", content: "Reply with the single word ready." }]

/**
 * A server with OpenAI's chat completions API: Ollama, vLLM, LM Studio, llama.cpp, hosted ones. This class learns from
 * refusals what the server accepts, and remembers it.
 */
export class ChatServer implements ChatModel {
  readonly #settings: ChatSettings
  readonly #server: ModelServer
  readonly #root: ModelServer
  readonly #turns: FairPool
  readonly #closed = new AbortController()
  readonly #availability = new Availability(() => this.#look())
  #abilities: Abilities = ALL_ABILITIES
  #thinks = false
  /** Whether the model's reasoning begins in the prompt, so that its first text looks like a reply. */
  #thinksUnbegun = false
  #hasStreamed = false
  #context: number | null
  #contextIsFinal: boolean

  /** @throws SettingsError naming the setting of a key that cannot be read */
  constructor(settings: ChatSettings) {
    const { llmUrl: url, llmContextTokens: set } = settings
    const key = serverKey("FOSSICK_LLM_API_KEY", settings.llmApiKey)
    this.#settings = settings
    this.#server = new ModelServer({ url, key, purpose: "chat" })
    this.#root = new ModelServer({ url: url.replace(/\/(?:api\/)?v\d+$/, ""), key, purpose: "chat" })
    this.#turns = new FairPool("chat-model", { places: settings.llmConcurrency })
    this.#context = set > 0 ? set : null
    this.#contextIsFinal = set > 0
  }

  get outage(): string | null {
    return this.#availability.outage?.because ?? null
  }

  /** The server's behaviour observed so far. */
  get seen(): Abilities & { readonly thinks: boolean; readonly hasStreamed: boolean } {
    return { ...this.#abilities, thinks: this.#thinks, hasStreamed: this.#hasStreamed }
  }

  async reply(prompt: Prompt, options: ReplyOptions): Promise<Reply> {
    const { outage } = this
    if (outage !== null) throw new ChatModelError(outage)
    return await this.#ask(prompt, options)
  }

  /** Asks for a reply even if recent attempts failed. */
  async #ask(prompt: Prompt, options: ReplyOptions): Promise<Reply> {
    const { llmTimeoutMs, llmLoadSeconds } = this.#settings
    const { signal } = options
    using patience =
      options.patience === "report"
        ? new Patience(llmLoadSeconds * 1000 + llmTimeoutMs, llmTimeoutMs)
        : new Patience(llmTimeoutMs, null)
    const waiting = AbortSignal.any([signal, patience.signal, this.#closed.signal])
    let wasSent = false
    try {
      const reply = await this.#turns.run(
        () => {
          wasSent = true
          return this.#asked(prompt, options, patience, waiting)
        },
        { signal: waiting },
      )
      this.#availability.answered()
      return reply
    } catch (error) {
      signal.throwIfAborted()
      throw this.#failure(error, patience, wasSent)
    }
  }

  /** Records what went wrong, and returns the error for the caller. */
  #failure(error: unknown, patience: Patience, wasSent: boolean): ChatModelError {
    if (this.#closed.signal.aborted) return new ChatModelError("the appliance is stopping")
    if (patience.signal.aborted) {
      // A model whose request is waiting for its turn, or that writes slowly, does not count as away.
      if (wasSent && !patience.wasHeard)
        this.#isAway(`The language model did not begin to reply within ${patience.limitMs} ms.`)
      return new ChatModelError(`no reply within ${patience.limitMs} ms`)
    }
    if (error instanceof ModelServerError) {
      const { isPassing, status } = error
      if (isPassing || status === 401 || status === 403 || status === 404)
        this.#isAway(`The server of the language model ${error.message}.`)
      return new ChatModelError(`the server ${error.message}`, { cause: error })
    }
    if (error instanceof NoReply) return new ChatModelError(`the reply ${error.message}`, { cause: error })
    return error instanceof ChatModelError
      ? error
      : new ChatModelError("the request failed", { cause: error })
  }

  #isAway(because: string): void {
    this.#availability.failed(
      new ModelOutage(because, "Meanwhile, answers consist of the pages' own sentences."),
    )
  }

  /** Asks until there is a reply, learning from refusals, and waiting where waiting may help. */
  async #asked(
    prompt: Prompt,
    options: ReplyOptions,
    patience: Patience,
    waiting: AbortSignal,
  ): Promise<Reply> {
    let failures = 0
    for (let lessons = 0; ;) {
      const abilities = this.#abilities
      const thinks = this.#thinks
      try {
        const arrived = await this.#once(prompt, options, patience, waiting)
        const reply = this.#taken(arrived, thinks)
        if (reply) return reply
        lessons++
      } catch (error) {
        waiting.throwIfAborted()
        if (
          error instanceof ModelServerError &&
          lessons < MOST_LESSONS &&
          this.#learned(error, abilities, options)
        ) {
          lessons++
          continue
        }
        if (isLoading(error)) {
          await pause(LOADING_MS, waiting)
          continue
        }
        const wait = Math.max(FIRST_RETRY_MS * 2 ** failures, retryAfter(error))
        const mayPass = error instanceof ModelServerError ? error.isPassing : error instanceof NoReply
        if (!mayPass || patience.wasHeard || failures >= this.#settings.llmRetries || wait > patience.leftMs)
          throw error
        failures++
        await pause(wait, waiting)
      }
      waiting.throwIfAborted()
    }
  }

  /** The reply; `null` if the model only reasoned and has not yet been given extra tokens for reasoning. */
  #taken({ text, thought, finish }: Arrived, thoughtBefore: boolean): Reply | null {
    this.#thinks ||= thought
    if (text !== "") return { text, isCut: finish === "length" }
    if (!thought) throw new ChatModelError("the reply is empty")
    if (!thoughtBefore && this.#settings.llmThinkingTokens > 0) return null
    throw new ChatModelError(
      "the model spent its tokens on thinking and gave no answer; raise FOSSICK_LLM_THINKING_TOKENS",
    )
  }

  /** Whether a refusal shows what to leave out next time. */
  #learned(refusal: ModelServerError, abilities: Abilities, { form }: ReplyOptions): boolean {
    const context = contextRefused(refusal)
    if (context !== null) {
      const now = this.#context ?? USUAL_CONTEXT
      this.#context = context > 0 && context < now ? context : Math.floor(now * 0.6)
      this.#contextIsFinal = true
      return this.#context > LEAST_ROOM
    }
    // Another request may have learned this in the meantime.
    if (abilities !== this.#abilities) return true
    const less = lessAfter(refusal, abilities, form !== undefined)
    if (less) this.#abilities = less
    return less !== null
  }

  async #once(
    prompt: Prompt,
    options: ReplyOptions,
    patience: Patience,
    signal: AbortSignal,
  ): Promise<Arrived> {
    const context = await this.contextTokens(signal)
    const { llmModel: model, llmBody: extra, llmThinkingTokens } = this.#settings
    const thinking = this.#thinks ? Math.min(llmThinkingTokens, Math.floor(context / 4)) : 0
    const maxTokens = options.maxTokens + thinking
    const messages = prompt(Math.max(LEAST_ROOM, context - maxTokens - TEMPLATE_TOKENS))
    const body = bodyFor({ model, messages, maxTokens, form: options.form, extra }, this.#abilities)
    const { isEvents, text } = await this.#server.stream("/chat/completions", body, {
      maxBytes: MAX_STREAM_BYTES,
      signal,
    })
    const reader = new ReplyReader()
    if (!isEvents) {
      let whole = ""
      for await (const piece of text) whole += piece
      patience.heard()
      reader.whole(whole)
      return reader.ended()
    }
    this.#hasStreamed = true
    let told = ""
    for await (const piece of text) {
      patience.heard()
      reader.events(piece)
      if (reader.isDone || reader.chars > maxTokens * CHARS_OF_TOKEN) break
      // To remove the reasoning, all text so far is read again, but only where a sentence may end.
      if (!options.onText || !SENTENCE_END.test(reader.fresh())) continue
      if (this.#thinksUnbegun && !reader.endsUnbegun) continue
      const { text: so } = reader.arrived()
      if (so !== "" && so !== told) options.onText((told = so))
    }
    this.#thinksUnbegun ||= reader.endsUnbegun
    return reader.ended()
  }

  /** Maximum number of tokens that the model can read and write together. */
  async contextTokens(signal: AbortSignal): Promise<number> {
    if (this.#context !== null) return this.#context
    const told = await this.#asksContext(signal)
    // A refusal may have reported the size in the meantime.
    return (this.#context ??= told ?? USUAL_CONTEXT)
  }

  /**
   * The source of the context size: the settings, the server's report, or a guess; asks again, because some servers
   * report it only for loaded models.
   */
  async contextFrom(signal: AbortSignal): Promise<"set" | "reported" | "assumed"> {
    if (this.#settings.llmContextTokens > 0) return "set"
    const told = await this.#asksContext(signal)
    if (told !== null && !this.#contextIsFinal) this.#context = told
    return told !== null || this.#contextIsFinal ? "reported" : "assumed"
  }

  async #asksContext(signal: AbortSignal): Promise<number | null> {
    return await contextSize({
      server: this.#server,
      root: this.#root,
      model: this.#settings.llmModel,
      timeoutMs: ASK_CONTEXT_MS,
      signal,
    })
  }

  /** Checks whether the server answers again; by the time it does, its model has finished loading. */
  async #look(): Promise<void> {
    await this.#ask(ONE_WORD, { maxTokens: 16, signal: this.#closed.signal, patience: "report" })
    await this.contextFrom(this.#closed.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    this.#availability[Symbol.dispose]()
    await this.#server[Symbol.asyncDispose]()
    await this.#root[Symbol.asyncDispose]()
  }
}

/** The model named in the settings, or `null` if there is none. */
export const openChatModel = (settings: ChatSettings): ChatServer | null =>
  settings.llmUrl === "" ? null : new ChatServer(settings)

/** Whether the server is loading its model: llama.cpp, vLLM and the gateways in front of them then answer 503. */
const isLoading = (error: unknown): boolean =>
  error instanceof ModelServerError &&
  error.status === 503 &&
  /\bload|starting|warming|not ready/i.test(error.said)

const retryAfter = (error: unknown): number =>
  error instanceof ModelServerError ? (error.retryAfterMs ?? 0) : 0
