import { createParser } from "eventsource-parser"

import { parseForeign } from "#base/text/json/foreign-json.ts"

import { endsUnbegun, withoutReasoning } from "./reasoning.ts"

/** The part of a reply that has arrived. */
export interface Arrived {
  /** The text without reasoning. */
  readonly text: string
  readonly thought: boolean
  /** Why the model stopped (`stop`, `length`, …); `null` until it has said so. */
  readonly finish: string | null
}

/** An invalid reply; the message continues a sentence whose subject is the reply. */
export class NoReply extends Error {
  override readonly name = "NoReply"
  /** The server's own message about a failure in the middle of a reply; it may repeat parts of the request. */
  readonly said: string
  constructor(message: string, said = "") {
    super(message)
    this.said = said
  }
}

/** A piece of a reply: `message` when the reply comes all at once, `delta` when it comes in parts. */
interface Piece {
  readonly content?: unknown
  /** The reasoning, as vLLM, llama.cpp, LM Studio and DeepSeek name it; Ollama, newer vLLM and OpenRouter call it `reasoning`. */
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly refusal?: unknown
}

/**
 * Reads chat completions as OpenAI's API returns them: one JSON object, or server-sent events (HTML Living Standard,
 * 9.2) of `chat.completion.chunk` objects up to `[DONE]`.
 */
export class ReplyReader {
  #content = ""
  #looked = 0
  #thought = false
  #finish: string | null = null
  #isDone = false
  #sawChoice = false
  readonly #parser = createParser({ onEvent: ({ data }) => this.#event(data) })

  /** Whether the reply is complete. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Number of characters received, including reasoning. */
  get chars(): number {
    return this.#content.length
  }

  /** The text since the last call, including reasoning. */
  fresh(): string {
    const fresh = this.#content.slice(this.#looked)
    this.#looked = this.#content.length
    return fresh
  }

  /** Whether the reply ends reasoning that began in the prompt. */
  get endsUnbegun(): boolean {
    return endsUnbegun(this.#content)
  }

  /** Reads the next text of a stream. @throws NoReply */
  events(text: string): void {
    this.#parser.feed(text)
  }

  /** Reads a whole response. @throws NoReply */
  whole(body: string): void {
    this.#take(body)
    this.#isDone = true
  }

  arrived(): Arrived {
    const { text, thought } = withoutReasoning(this.#content, this.#isDone || this.#finish !== null)
    return { text, thought: thought || this.#thought, finish: this.#finish }
  }

  /**
   * The whole reply.
   * @throws NoReply when it is invalid
   */
  ended(): Arrived {
    // Ends a last event that has no blank line after it.
    this.#parser.feed("\n\n")
    if (!this.#sawChoice) throw new NoReply("has no choices")
    this.#isDone = true
    return this.arrived()
  }

  #event(data: string): void {
    if (this.#isDone) return
    if (data.trim() === "[DONE]") this.#isDone = true
    else this.#take(data)
  }

  #take(json: string): void {
    let body: unknown
    try {
      body = parseForeign(json)
    } catch {
      throw new NoReply("isn't JSON")
    }
    const { choices, error } = (body ?? {}) as { choices?: unknown; error?: unknown }
    // After answering 200, a server can report a failure only in the stream.
    if (error !== undefined && error !== null) throw new NoReply("ends in an error", saidIn(error))
    if (!Array.isArray(choices)) {
      if (this.#sawChoice) return
      throw new NoReply("has no choices")
    }
    const [choice] = choices as { message?: Piece; delta?: Piece; text?: unknown; finish_reason?: unknown }[]
    // The last event may report only usage.
    if (choice === undefined) return
    this.#sawChoice = true
    const piece = choice.message ?? choice.delta ?? {}
    this.#content += textIn(piece.content ?? choice.text)
    this.#thought ||=
      textIn(piece.reasoning_content) !== "" || textIn(piece.reasoning) !== "" || hasThought(piece)
    if (typeof piece.refusal === "string" && piece.refusal !== "") throw new NoReply("is a refusal")
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason
  }
}

/** Text, or the text parts among parts of several kinds. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return (content as { type?: unknown; text?: unknown }[])
    .map((part) => (part?.type === "text" && typeof part.text === "string" ? part.text : ""))
    .join("")
}

const hasThought = ({ content }: Piece): boolean =>
  Array.isArray(content) && (content as { type?: unknown }[]).some((part) => part?.type === "thinking")

function saidIn(error: unknown): string {
  const said = typeof error === "string" ? error : (error as { message?: unknown }).message
  return typeof said === "string" ? said : ""
}
